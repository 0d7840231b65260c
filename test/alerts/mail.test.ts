/** Mails of alerts are sent at most once, whatever the mail server does; webhooks at least once, with one id. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let mail: MailServer;
let hook: Hook;
const NOW = Date.parse('2026-01-15T12:00:00Z');

beforeEach(async () => {
  mail = await startMailServer();
  hook = await startHook();
});
afterEach(async () => {
  await server.close();
  await hook.close();
  await mail.close();
});

async function open(config: object = {}): Promise<string> {
  const publicUrl = 'https://cairn.example.org';
  server = await startServer({ config: { ...mail.config, publicUrl, webhookAllowPrivate: true, ...config } });
  const body = {
    name: 'Flags',
    enabled: false,
    config: { type: 'FlagChangeConfig' },
    subscribed_users: [1],
    targets: [{ type: 'webhook', url: hook.url }],
  };
  const made = await clientFor(server).post('/api/projects/1/alerts/', { body });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  return made.body.id;
}
const at = (ms: number): void => server.setNow(new Date(NOW + ms).toISOString());
const test = (id: string) => clientFor(server).post(`/api/projects/1/alerts/${id}/test/`);
const log = async (type: 'email' | 'webhook') => {
  const { results } = (await clientFor(server).get('/api/projects/1/deliveries/')).body;
  return results.find((one: { target_type: string }) => one.target_type === type);
};
const state = (type: 'email' | 'webhook') => async () => (await log(type))?.state;
const attempts = (type: 'email' | 'webhook') => async () => (await log(type))?.attempts.length;
const idOf = (text: string): string => /^Message-ID: (\S+)/im.exec(text)?.[1] ?? '';

describe('a mail', () => {
  it('that the server wants later is sent later, with the same id', async () => {
    mail.answers.push('later');
    await test(await open());
    await expect.poll(attempts('email')).toBe(1);
    expect(await log('email')).toMatchObject({ state: 'waiting', attempts: [{ status: 451 }] });
    at(40_000);
    await expect.poll(state('email'), { timeout: 5000 }).toBe('sent');
    expect(mail.mails).toHaveLength(1);
    expect(idOf(mail.mails[0]?.text ?? '')).toBe(`<${(await log('email')).message_id}@cairn>`);
  });

  it('has a link that stops the mails of its alert to its reader, by one click', async () => {
    const id = await open();
    await test(id);
    await expect.poll(state('email')).toBe('sent');
    const text = (mail.mails[0]?.text ?? '').replaceAll(/=?\r\n[ \t]*/g, '');
    expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const path = /List-Unsubscribe: ?<https:\/\/cairn\.example\.org(\/unsubscribe\/[^>]+)>/.exec(text)?.[1] ?? '';
    const subscribed = async () => (await clientFor(server).get(`/api/projects/1/alerts/${id}/`)).body.subscribed_users;
    const send = async (method: string, to: string) =>
      (
        await fetch(server.url + to, {
          method,
          ...(method === 'POST' ? { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) } : {}),
        })
      ).status;
    // Opening it changes nothing; a changed link opens nothing.
    expect(await send('GET', path)).toBe(200);
    for (const other of [path.replace(/\.1\./, '.2.'), `${path}x`, '/unsubscribe/x', '/unsubscribe/1.2.3.4.5'])
      expect(await send('POST', other)).toBe(404);
    expect(await subscribed()).toHaveLength(1);
    expect(await send('POST', path)).toBe(200);
    expect(await subscribed()).toEqual([]);
    expect(await send('POST', path)).toBe(200);
    at(1000);
    await test(id);
    await expect.poll(async () => hook.requests.length).toBe(2);
    expect(mail.mails).toHaveLength(1);
    const { results } = (await clientFor(server).get('/api/organizations/@current/activity/?scope=Alert')).body;
    expect(results[0]).toMatchObject({ activity: 'updated', user: { email: expect.any(String) } });
  });

  it('that is refused has failed', async () => {
    mail.answers.push('refuse');
    await test(await open());
    await expect.poll(state('email')).toBe('failed');
    expect((await log('email')).attempts).toMatchObject([{ status: 550, error: 'the mail server answered 550' }]);
  });

  it('may have arrived when the connection broke: it is not sent again, until somebody wants it', async () => {
    mail.answers.push('drop');
    await test(await open());
    await expect.poll(state('email'), { timeout: 15_000 }).toBe('unknown');
    at(24 * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(mail.mails).toHaveLength(1);
    const { id } = await log('email');
    await clientFor(server).post(`/api/projects/1/deliveries/${id}/retry/`);
    await expect.poll(state('email')).toBe('sent');
    expect(new Set(mail.mails.map(({ text }) => idOf(text))).size).toBe(1);
  }, 30_000);

  it('is sent twice rather than not at all where the operator says so', async () => {
    mail.answers.push('drop');
    await test(await open({ mailAtLeastOnce: true }));
    await expect.poll(attempts('email'), { timeout: 15_000 }).toBe(1);
    at(40_000);
    await expect.poll(state('email'), { timeout: 5000 }).toBe('sent');
    expect(mail.mails).toHaveLength(2);
    expect(new Set(mail.mails.map(({ text }) => idOf(text))).size).toBe(1);
  }, 30_000);

  it('cannot be made to have other headers', async () => {
    const id = await open();
    const name = 'Low\r\nBcc: eve@example.org\r\n\r\n<b>hello</b>';
    await clientFor(server).patch(`/api/projects/1/alerts/${id}/`, { body: { name } });
    await test(id);
    await expect.poll(state('email')).toBe('sent');
    const [{ to, text } = { to: [], text: '' }] = mail.mails;
    expect(to).toHaveLength(1);
    expect(text).not.toMatch(/^Bcc:/im);
    expect(text).toContain('&lt;b&gt;hello&lt;/b&gt;');
  });
});

describe('a server that was killed while it was sending', () => {
  it('sends the webhook again with the same id, and not the mail', async () => {
    mail.answers.push('later');
    hook.answers.push({ status: 500 });
    await test(await open());
    await expect.poll(attempts('email')).toBe(1);
    await expect.poll(attempts('webhook')).toBe(1);
    // As it is on disk when the process dies between sending and marking.
    await server.tamper("update deliveries set state = 'sending', attempt = 2, due_at = ?", NOW + 60_000);
    at(61_000);
    await expect.poll(state('webhook'), { timeout: 5000 }).toBe('sent');
    await expect.poll(state('email')).toBe('unknown');
    expect(mail.mails).toHaveLength(0);
    expect(hook.requests.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill((await log('webhook')).message_id),
    );
  });

  it('sends a mail again whose content the mail server had not been given', async () => {
    mail.answers.push('later');
    await test(await open());
    await expect.poll(attempts('email')).toBe(1);
    // As it is on disk when the process dies before the content.
    const changes = "attempt = 2, due_at = ? where state = 'waiting' and target like '%email%'";
    await server.tamper(`update deliveries set ${changes}`, NOW + 60_000);
    at(61_000);
    await expect.poll(state('email'), { timeout: 5000 }).toBe('sent');
    expect(mail.mails).toHaveLength(1);
  });

  it('gives no content of a mail that another process has taken over meanwhile', async () => {
    const states: unknown[] = [];
    mail.beforeData = async () => {
      states.push((await log('email')).state);
      mail.beforeData = async () => undefined;
      await server.tamper("update deliveries set attempt = 2, due_at = ? where target like '%email%'", NOW + 60_000);
    };
    await test(await open());
    await expect.poll(state('webhook')).toBe('sent');
    await expect.poll(() => states).toEqual(['waiting']);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(mail.mails).toHaveLength(0);
    expect(await log('email')).toMatchObject({ state: 'waiting', attempts: [] });
    at(61_000);
    await expect.poll(state('email'), { timeout: 5000 }).toBe('sent');
    expect(mail.mails).toHaveLength(1);
  });
});
