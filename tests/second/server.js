// telegram-test-api, a public Bot API emulator, on a free port of loopback.  The port is printed on standard output, what
// bots and users do on standard error.
//
// What the emulator does differently from the Bot API and a bot can't do without is put right here, each with its
// reason; everything else is judged as it is published.
'use strict';

const axios = require('axios');
const express = require('express');
const TelegramServer = require('telegram-test-api');

const server = new TelegramServer({ host: '127.0.0.1', port: '0', storeTimeout: 3600 });
const app = express();
const calls = [];

app.use(express.json({ limit: '1mb' }));
app.use(express.urlencoded({ extended: true, limit: '1mb' }));

const looks = ['/calls', '/getUpdatesHistory'];
app.use((req, res, next) => {
  if (!looks.includes(req.path)) {
    res.on('finish', () => console.error(req.path, JSON.stringify(req.body), res.statusCode));
  }
  next();
});

// For the tests: the bot's calls.  The emulator keeps messages alone.
app.use('/bot:token/:method', (req, res, next) => {
  const call = { method: req.params.method, params: req.body, status: null };
  calls.push(call);
  res.on('finish', () => { call.status = res.statusCode; });
  next();
});
app.post('/calls', (req, res) => res.json({ ok: true, result: calls }));

// For the tests: updates of any kind.  The emulator's users can write, command and press alone.
app.post('/rawUpdate', (req, res) => {
  const { botToken, update } = req.body;
  const [message] = Object.values(update);
  server.addUserUpdate({ ...server.getCommonFields(botToken), message, raw: update });
  res.json({ ok: true, result: true });
});

// A callback query has a chat_instance.
const format = TelegramServer.formatUpdate;
TelegramServer.formatUpdate = (update) => {
  if (update.raw) return { update_id: update.updateId, ...update.raw };
  const formatted = format(update);
  if (formatted.callback_query) formatted.callback_query.chat_instance = '1';
  return formatted;
};

// An id is given once: the emulator takes the next one only after a webhook was answered, when the bot's answer has it.
const deliver = server.addUserUpdate.bind(server);
server.addUserUpdate = (update) => {
  server.updateId += 1;
  server.messageId += 1;
  return deliver(update);
};

// A delivery carries the secret that setWebhook named.
axios.interceptors.request.use((config) => {
  const hook = Object.values(server.webhooks).find(({ url }) => url === config.url);
  if (hook && hook.secret_token) config.headers['X-Telegram-Bot-Api-Secret-Token'] = hook.secret_token;
  return config;
});

// A delivery that a webhook refuses must not end this process.
process.on('unhandledRejection', (error) => console.error('not delivered:', error.message));

// A bot is a bot.
app.all('/bot:token/getMe', (req, res) =>
  res.json({ ok: true, result: { id: 666, is_bot: true, first_name: 'Test First name', username: 'TestNameBot' } }));

// A poll is held until there is something; answered at once, a bot would ask without a pause.
app.all('/bot:token/getUpdates', async (req, res) => {
  const end = Date.now() + 1000 * Number(req.body.timeout || 0);
  while (!res.destroyed) {
    const result = server.getUpdates(req.params.token);
    if (result.length || Date.now() >= end) {
      res.json({ ok: true, result });
      return;
    }
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
});

// Methods that the emulator does not know.
for (const method of ['answerInlineQuery', 'setMyCommands', 'deleteMyCommands']) {
  app.all(`/bot:token/${method}`, (req, res) => res.json({ ok: true, result: true }));
}

app.use(server.webServer);
server.webServer = app;
server.start().then(() => console.log(server.server.address().port));
