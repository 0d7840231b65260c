/** `post_to_slack`: a project's webhook gets a message about events whose name is marked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';
import { type Hook, type HookAnswer, startHook } from '../support/webhook.ts';

let server: TestServer;
let hook: Hook;
const open = async (options: Parameters<typeof startServer>[0] = {}): Promise<void> => {
  server = await startServer({ ...options, config: { webhookAllowPrivate: true, ...options.config } });
};
beforeEach(async () => {
  hook = await startHook();
});
afterEach(async () => {
  await server.close();
  await hook.close();
});

const path = (projectId: number, rest = ''): string => `/api/projects/${projectId}/${rest}`;
const listen = (url: string | null, project: Pick<TestProject, 'projectId'> = server) =>
  clientFor(server).patch(path(project.projectId), { body: { slack_incoming_webhook: url } });
const send = (events: SentEvent[], project: Pick<TestProject, 'projectKey'> = server) =>
  capture(server, project.projectKey, events);
const times = (n: number, event: string): SentEvent[] => Array.from({ length: n }, () => ({ event }));

/** Captures the event once, and marks its name or removes the mark. */
async function mark(name: string, project: TestProject = server, post_to_slack = true): Promise<void> {
  const found = async () =>
    (await server.metadata.definitions.listEvents(project.projectId)).find((one) => one.name === name)?.id;
  if ((await found()) === undefined) await send([{ event: name }], project);
  const id = await found();
  const marked = await clientFor(server).patch(path(project.projectId, `event_definitions/${id}/`), {
    body: { post_to_slack },
  });
  expect(marked.status).toBe(200);
}
const waiting = () => server.rows('select project_id, event, count from webhook_outbox order by event');
/** A message is deleted just after the webhook has answered. */
const emptied = () => expect.poll(waiting, { timeout: 5000 }).toEqual([]);

describe('a marked event', () => {
  it('is sent to the webhook with the name of its person and a link', async () => {
    await open({ config: { publicUrl: 'https://cairn.example.org' } });
    await mark('signed up');
    expect((await listen(hook.url)).status).toBe(200);
    await send([{ event: 'signed up', distinct_id: 'u-1', $set: { email: 'ada@example.org' } }]);
    const [sent] = await hook.waitForRequests(1);
    const [{ uuid }] = await server.rows("select uuid from persons where properties like '%ada@example.org%'");
    expect(sent).toMatchObject({ method: 'POST', path: '/services/T0/B0/secret', type: 'application/json' });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      text: `[Default project] *signed up* by <https://cairn.example.org/project/1/persons/${uuid}|ada@example.org>`,
    });
    await emptied();
  });

  it('is sent without a link where the URL of the console is unknown', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    await send([{ event: 'signed up', distinct_id: '<!channel> @all & co' }]);
    const [sent] = await hook.waitForRequests(1);
    expect(sent?.text).toBe('[Default project] *signed up* by &lt;!channel&gt; @\u200ball &amp; co');
  });

  it('names the person that they became in the same batch', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    await send([{ event: 'known before', distinct_id: 'grace', $set: { email: 'grace@x.y' } }]);
    await send([
      { event: 'signed up', distinct_id: 'visitor' },
      { event: '$identify', distinct_id: 'grace', properties: { $anon_distinct_id: 'visitor' } },
    ]);
    expect(await server.rows('select id from person_merges')).toHaveLength(1);
    expect((await hook.waitForRequests(1))[0]?.text).toBe('[Default project] *signed up* by grace@x.y');
  });

  it('is sent without a person where there is none', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    await send([{ event: 'signed up', properties: { $process_person_profile: false }, distinct_id: 'nobody' }]);
    expect((await hook.waitForRequests(1))[0]?.text).toBe('[Default project] *signed up*');
  });

  it('is announced once, however often it is captured', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    const event = { event: 'signed up', uuid: '018f0000-0000-7000-8000-000000000001' };
    await send([event, event]);
    await send([event]);
    expect((await hook.waitForRequests(1))[0]?.text).toBe('[Default project] *signed up* by ada');
    server.setNow('2026-01-15T13:00:00Z');
    expect(await hook.staysAt(1)).toBe(true);
  });
});

describe('nothing is sent', () => {
  it('of other names, other projects or historical events, without a mark or without a webhook', async () => {
    await open();
    const other = await server.createProject();
    await listen(hook.url);
    await listen(hook.url, other);
    await mark('signed up');
    await mark('no longer');
    await mark('no longer', server, false);
    await send([{ event: 'signed out' }, { event: 'no longer' }]);
    await send([{ event: 'signed up' }], other);
    const backfill = {
      api_key: server.projectKey,
      historical_migration: true,
      batch: [{ event: 'signed up', distinct_id: 'a' }],
    };
    const headers = { 'content-type': 'application/json' };
    await fetch(`${server.url}/batch/`, { method: 'POST', headers, body: JSON.stringify(backfill) });
    await server.drain();
    await listen(null);
    await send([{ event: 'signed up' }]);
    expect(await waiting()).toEqual([]);
    expect(await hook.staysAt(0)).toBe(true);
  });

  it('of pending messages when the mark or the webhook is removed', async () => {
    await open();
    await mark('signed up');
    await mark('paid');
    await listen(hook.url);
    hook.answers.push({ status: 500 }, { status: 500 });
    await send([{ event: 'signed up' }, { event: 'paid' }]);
    await hook.waitForRequests(1);
    await mark('paid', server, false);
    expect(await waiting()).toEqual([{ project_id: 1, event: 'signed up', count: 1 }]);
    await listen(null);
    await emptied();
    server.setNow('2026-01-15T13:00:00Z');
    expect(await hook.staysAt(1)).toBe(true);
  });
});

describe('a webhook that fails', () => {
  it('is retried with growing delays, and not before it allows, until it accepts the message', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    hook.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '30' } });
    await send([{ event: 'signed up' }]);
    await hook.waitForRequests(1);
    expect(await hook.staysAt(1)).toBe(true);
    server.setNow('2026-01-15T12:00:01Z');
    await hook.waitForRequests(2);
    expect(await hook.staysAt(2)).toBe(true);
    server.setNow('2026-01-15T12:00:30Z');
    expect(await hook.staysAt(2)).toBe(true);
    server.setNow('2026-01-15T12:00:31Z');
    const sent = await hook.waitForRequests(3);
    expect(new Set(sent.map(({ text }) => text))).toEqual(new Set(['[Default project] *signed up* by ada']));
    await emptied();
    server.setNow('2026-01-15T14:00:00Z');
    expect(await hook.staysAt(3)).toBe(true);
  });

  it('is retried at once when its URL changes', async () => {
    await open();
    await mark('signed up');
    const closed = await startHook();
    await closed.close();
    await listen(closed.url);
    await send([{ event: 'signed up' }]);
    await expect.poll(waiting).toHaveLength(1);
    await listen(hook.url);
    await hook.waitForRequests(1);
    await emptied();
  });

  it.each<[string, HookAnswer]>([
    ['404', { status: 404 }],
    ['410 and a megabyte', { status: 410, body: 'x'.repeat(1_000_000) }],
    ['a redirect to itself', { status: 302, headers: { location: '/elsewhere' } }],
    ['a redirect to another host', { status: 307, headers: { location: 'http://169.254.169.254/latest/' } }],
  ])('with %s gets no retry, and its redirect is not followed', async (_name, answer) => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    hook.answers.push(answer);
    await send([{ event: 'signed up', distinct_id: 'lost' }]);
    await hook.waitForRequests(1);
    await emptied();
    server.setNow('2026-01-15T12:01:00Z');
    await send([{ event: 'signed up', distinct_id: 'found' }]);
    await hook.waitForRequests(2);
    expect(hook.requests.map(({ path: at, text }) => [at, text])).toEqual([
      ['/services/T0/B0/secret', '[Default project] *signed up* by lost'],
      ['/services/T0/B0/secret', '[Default project] *signed up* by found'],
    ]);
  });

  it('for a day gets no message that is a day old', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    hook.answers.push({ status: 500 }, { status: 500 });
    await send([{ event: 'signed up' }]);
    await hook.waitForRequests(1);
    expect(await hook.staysAt(1)).toBe(true);
    server.setNow('2026-01-16T12:00:00Z');
    await hook.waitForRequests(2);
    expect(hook.requests[1]?.text).toBe('[Default project] *signed up* by ada, 2026-01-15 12:00 UTC');
    await emptied();
  });

  it.runIf(isEmbedded)('gets the message after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-webhook-'));
    await open({ dataDir });
    await mark('signed up');
    await listen(hook.url);
    hook.answers.push('hang');
    await send([{ event: 'signed up' }]);
    await hook.waitForRequests(1);
    await server.close();
    await open({ dataDir });
    expect((await hook.waitForRequests(2))[1]?.text).toBe('[Default project] *signed up* by ada');
    await emptied();
    await server.close();
    rmSync(dataDir, { recursive: true });
    await open();
  });
});

describe('a webhook that hangs', () => {
  it.skipIf(isWithoutEvents)(
    'blocks nothing: events are stored, other webhooks get messages, the server stops',
    async () => {
      await open();
      const other = await server.createProject({ name: 'Other' });
      await mark('signed up');
      await mark('signed up', other);
      const otherHook = await startHook();
      await listen(hook.url);
      await listen(otherHook.url, other);
      hook.answers.push('hang');
      await send([{ event: 'signed up' }]);
      await hook.waitForRequests(1);
      await send(times(3000, 'signed up'));
      await send(times(1, 'signed up'), other);
      expect((await otherHook.waitForRequests(1))[0]?.text).toBe('[Other] *signed up* by ada');
      // The projects take turns, so the other one's event may be processed first.
      await server.drain();
      const [stored] = await server.query('select count(*) as n from event_rows where project_id = 1');
      expect(stored?.['n']).toBe(3002);
      // The message of the other one goes when its answer has come.
      await expect.poll(waiting).toMatchObject([{ project_id: 1, event: 'signed up', count: 3001 }]);
      expect(hook.requests).toHaveLength(1);
      await otherHook.close();
      const start = performance.now();
      await server.close();
      expect(performance.now() - start).toBeLessThan(5000);
      await open();
    },
  );
});

describe('many events at once', () => {
  it('become one message, and those that come meanwhile the next', async () => {
    await open();
    await mark('signed up');
    await mark('paid');
    await listen(hook.url);
    await send(times(37, 'signed up'));
    expect((await hook.waitForRequests(1))[0]?.text).toBe('[Default project] 37 × *signed up*, the last by ada');
    await emptied();
    await send(times(3, 'signed up'));
    await send([{ event: 'paid', distinct_id: 'grace' }]);
    await send(times(2, 'signed up'));
    expect(await hook.staysAt(1)).toBe(true);
    server.setNow('2026-01-15T12:00:10Z');
    expect((await hook.waitForRequests(2))[1]?.text).toBe(
      '[Default project]\n*paid* by grace\n5 × *signed up*, the last by ada',
    );
    await emptied();
  });

  it('that come while a message is being sent are in the next', async () => {
    await open();
    await mark('signed up');
    await listen(hook.url);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    hook.answers.push({ status: 200, after: answered });
    await send(times(2, 'signed up'));
    await hook.waitForRequests(1);
    await send(times(3, 'signed up'));
    expect(await waiting()).toMatchObject([{ count: 5 }]);
    answer();
    await expect.poll(waiting, { timeout: 5000 }).toMatchObject([{ count: 3 }]);
    server.setNow('2026-01-15T12:00:10Z');
    const sent = await hook.waitForRequests(2);
    expect(sent.map(({ text }) => text)).toEqual([
      '[Default project] 2 × *signed up*, the last by ada',
      '[Default project] 3 × *signed up*, the last by ada',
    ]);
    await emptied();
  });
});

describe('the address of a webhook', () => {
  it('is a web address without a password in it', async () => {
    await open();
    for (const url of [
      'javascript:alert(1)',
      'ftp://example.org/',
      'file:///etc/passwd',
      'hooks.example.org',
      'https://user:secret@example.org/',
      5,
      `https://example.org/${'x'.repeat(500)}`,
    ]) {
      const { status, body } = await clientFor(server).patch(path(1), { body: { slack_incoming_webhook: url } });
      expect([url, status, body.attr]).toEqual([url, 400, 'slack_incoming_webhook']);
    }
    expect((await clientFor(server).get(path(1))).body.slack_incoming_webhook).toBeNull();
  });
});
