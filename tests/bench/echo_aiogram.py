"""A bare aiogram echo bot, by polling.  usage: python echo_aiogram.py BASE_URL"""

import asyncio
import sys

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import Message

TOKEN = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
dispatcher = Dispatcher()


@dispatcher.message(F.text)
async def echo(message: Message) -> None:
    await message.answer(message.text or "")


async def main() -> None:
    bot = Bot(TOKEN, session=AiohttpSession(api=TelegramAPIServer.from_base(sys.argv[1])))
    await dispatcher.start_polling(bot, polling_timeout=1, handle_as_tasks=False)


asyncio.run(main())
