"""A bare python-telegram-bot echo bot, by polling.  usage: python echo_ptb.py BASE_URL"""

import sys

from telegram import Update
from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters

TOKEN = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


async def echo(update: Update, _context: ContextTypes.DEFAULT_TYPE) -> None:
    await update.message.reply_text(update.message.text)


app = Application.builder().token(TOKEN).base_url(f"{sys.argv[1]}/bot").build()
app.add_handler(CommandHandler("prices", echo))
app.add_handler(MessageHandler(filters.TEXT, echo))
app.run_polling(timeout=1)
