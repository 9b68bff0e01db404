// telegram-test-api 4.2.1 on loopback, with the corrections python-telegram-bot 22 needs.
// usage: node server.js PORT [--plain]
//   --plain : the package as published (PTB 22 then fails in getMe, sendMessage and the edits)
const mod = require('telegram-test-api');
const TelegramServer = mod.TelegramServer || mod.default || mod;
const plain = process.argv.includes('--plain');
const server = new TelegramServer({ port: Number(process.argv[2] || 9000), host: '127.0.0.1', storeTimeout: 600 });

if (!plain) {
  process.on('unhandledRejection', (e) => console.log('webhook refused:', e.message));  // else any 4xx from a webhook ends the process
  const app = server.webServer;
  const add = server.addBotMessage.bind(server);
  server.addBotMessage = (raw, token) => {            // dates: the package answers in ms, the API in s
    const m = add(raw, token); m.date = Math.floor(m.date / 1000);
    m.from = { id: 666, is_bot: true, first_name: 'Test First name', username: 'TestNameBot' };
    m.message_id = Number(m.message_id);
    if (typeof m.entities === 'string') m.entities = JSON.parse(m.entities);
    delete m.chat_id; delete m.reply_parameters; delete m.link_preview_options;
    return m;
  };
  const format = TelegramServer.formatUpdate;         // PTB requires callback_query.chat_instance
  TelegramServer.formatUpdate = (u) => {
    const r = format(u);
    if (r.callback_query) { r.callback_query.chat_instance = '1'; r.callback_query.message.date = r.callback_query.message.date || 1; }
    return r;
  };
  const calls = [];                                   // what the package does not keep: every bot call
  const ok = (res, result) => res.json({ ok: true, result });
  const fail = (res, code, description, parameters) =>
    res.status(code).json({ ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) });
  const find = (b) => server.storage.botMessages.find((u) =>
    String(u.messageId) === String(b.message_id) && String(u.message.chat_id) === String(b.chat_id));
  const asMessage = (u) => ({ message_id: u.messageId, date: Math.floor(u.time / 1000),
    chat: { id: Number(u.message.chat_id), type: 'private', first_name: 'Bot' }, text: u.message.text,
    reply_markup: u.message.reply_markup });
  const before = (path, h) => {                       // put a route ahead of the package's own
    app.all(path, h);
    const s = app._router.stack; s.splice(6, 0, s.pop());
  };
  const raw = (req) => new Promise((done) => { const c = []; req.on('data', (d) => c.push(d)); req.on('end', () => done(Buffer.concat(c))); });
  const edit = (apply) => (req, res) => {
    const u = find(req.body);
    if (!u) return fail(res, 400, 'Bad Request: message to edit not found');
    const was = JSON.stringify([u.message.text, u.message.reply_markup]);
    apply(req.body);
    const now = find(req.body);
    if (JSON.stringify([now.message.text, now.message.reply_markup]) === was)
      return fail(res, 400, 'Bad Request: message is not modified');
    return ok(res, asMessage(now));
  };
  for (const name of ['answerInlineQuery', 'setMyCommands', 'deleteMyCommands', 'sendChatAction', 'setMyDescription', 'answerCallbackQuery', 'setMyShortDescription'])
    before('/bot:token/' + name, (req, res) => { calls.push({ method: name, body: req.body }); ok(res, true); });
  before('/bot:token/getMe', (req, res) => ok(res, { id: 666, is_bot: true, first_name: 'Test First name', username: 'TestNameBot',
    can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: true }));
  before('/bot:token/getWebhookInfo', (req, res) => ok(res, { url: (server.webhooks[req.params.token] || {}).url || '', has_custom_certificate: false, pending_update_count: 0 }));
  before('/bot:token/editMessageText', edit((b) => server.editMessageText(b)));
  before('/bot:token/editMessageReplyMarkup', edit((b) => server.editMessageReplyMarkup(b)));
  before('/bot:token/sendPhoto', async (req, res) => {
    const body = req.is('multipart/form-data') ? { raw: (await raw(req)).toString('latin1') } : req.body;
    calls.push({ method: 'sendPhoto', body });
    const part = (n) => (body.raw ? ((body.raw.match(new RegExp('name="' + n + '"\\r\\n\\r\\n([^\\r]*)')) || [])[1]) : body[n]);
    ok(res, { message_id: server.messageId++, date: Math.floor(Date.now() / 1000), caption: part('caption'),
      chat: { id: Number(part('chat_id')), type: 'private' }, photo: [{ file_id: 'p1', file_unique_id: 'p1', width: 1, height: 1 }] });
  });
  // any update at all (inline_query, edited_message, channel_post, my_chat_member): POST /rawUpdate {botToken, update}
  const queue = [];
  before('/rawUpdate', async (req, res) => {
    const u = { update_id: server.updateId++, ...req.body.update };
    const hook = server.webhooks[req.body.botToken];
    if (hook) {
      const r = await fetch(hook.url, { method: 'POST', body: JSON.stringify(u), headers: { 'content-type': 'application/json',
        ...(hook.secret_token ? { 'X-Telegram-Bot-Api-Secret-Token': hook.secret_token } : {}) } });
      return ok(res, r.status);
    }
    queue.push(u); return ok(res, true);
  });
  const get = server.getUpdates.bind(server);
  server.getUpdates = (t) => get(t).concat(queue.splice(0));
  before('/bot:token/getUpdates', async (req, res) => {  // long poll, as the API does: the package answers at once
    const end = Date.now() + 1000 * Number(req.body.timeout || req.query.timeout || 0);
    let r = server.getUpdates(req.params.token);
    while (!r.length && Date.now() < end && !res.writableEnded) { await new Promise((d) => setTimeout(d, 10)); r = server.getUpdates(req.params.token); }
    ok(res, r);
  });
  before('/calls', (req, res) => ok(res, calls.splice(0)));
}
server.start().then(() => console.log('up', server.config.apiURL, plain ? '(plain)' : '(corrected)'));
process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
