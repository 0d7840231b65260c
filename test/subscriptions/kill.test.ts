/**
 * A server that is killed again and again (SIGKILL) while it makes and sends digests: one message for each time and
 * recipient, none missing, no mail twice. `KILLS=500` kills it as often.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { openSqliteAccess } from '../support/database-access.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { startHook } from '../support/webhook.ts';

const KILLS = Number(process.env['KILLS'] ?? 12);
const KEY = 'phx_faults_personal_key';
/** The time after which an attempt counts as interrupted, and some for the next one. */
const SETTLED_MS = 180_000;
const MAX_ROUND_MS = 30_000;

interface Row {
  subject_id: string;
  slot: number;
  target: string;
  key: string;
  state: string;
}

it(
  'makes each digest once, delivers it to webhooks that keep ids, and no mail twice',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-digests-'));
    const [mail, hook] = [await startMailServer(), await startHook()];
    const env = {
      WEBHOOK_ALLOW_PRIVATE: 'true',
      SMTP_URL: mail.config.smtpUrl,
      SMTP_FROM: mail.config.smtpFrom,
      PUBLIC_URL: 'https://cairn.example.org',
    };
    let server: ServerProcess | null = null;
    try {
      server = await startServerProcess(dataDir, { env });
      const send = (method: string, path: string, body?: object) =>
        call(server?.url ?? '', method, `/api/projects/1/${path}`, { key: KEY, body });
      await server.send([{ event: 'seen', distinct_id: 'a' }]);
      const filters = { insight: 'TRENDS', events: [{ id: 'seen' }] };
      const insight = (await send('POST', 'insights/', { name: 'Seen', filters })).body.id;
      const { email } = (await call(server.url, 'GET', '/api/users/@me/', { key: KEY })).body;
      const digest = { insight, frequency: 'yearly', start_date: '2020-01-01T00:00:00Z' };
      for (const target of [
        { target_type: 'email', target_value: email },
        { target_type: 'webhook', target_value: hook.url },
      ]) {
        const made = await send('POST', 'subscriptions/', { ...digest, ...target });
        expect([made.status, made.body.detail]).toEqual([201, undefined]);
      }
      const database = openSqliteAccess(dataDir);
      const slots: number[] = [];
      for (let round = 0; round <= KILLS; round++) {
        const slot = Date.now() - 1000;
        slots.push(slot);
        await database.write('update subscriptions set next_slot = ?', [slot]);
        if (round < KILLS) {
          // From before it is computed to after it was sent.
          await sleep((round * 137) % 1700);
          await server.kill();
          server = await startServerProcess(dataDir, { env });
        }
        // The next one must not replace one that was not made.
        const isMade = async () =>
          (await database.read('select id from subscriptions where next_slot < ?', [Date.now()])).length === 0;
        const end = performance.now() + MAX_ROUND_MS;
        while (!(await isMade()) && performance.now() < end) await sleep(100);
        expect(await isMade()).toBe(true);
      }
      const rows = async (): Promise<Row[]> => database.read("select * from deliveries where kind = 'digest'", []);
      const isOpen = ({ state }: Row): boolean => state === 'waiting' || state === 'sending';
      const end = performance.now() + SETTLED_MS;
      while ((await rows()).some(isOpen) && performance.now() < end) await sleep(500);
      const made = await rows();
      await database.close();
      const typeOf = ({ target }: Row): string => JSON.parse(target).type;
      const idOf = ({ key }: Row): string => `msg_${key.slice(0, 32)}`;
      for (const type of ['email', 'webhook'])
        expect(
          made
            .filter((row) => typeOf(row) === type)
            .map(({ slot }) => slot)
            .sort(),
        ).toEqual(slots);
      const webhooks = made.filter((row) => typeOf(row) === 'webhook');
      expect(webhooks.filter(({ state }) => state !== 'sent')).toEqual([]);
      const received = new Set(hook.requests.map(({ headers }) => String(headers['webhook-id'])));
      expect([...received].sort()).toEqual(webhooks.map(idOf).sort());
      const mails = made.filter((row) => typeOf(row) === 'email');
      expect(mails.filter(({ state }) => state !== 'sent' && state !== 'unknown')).toEqual([]);
      const ids = mail.mails.map(({ text }) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? '');
      expect(new Set(ids).size).toBe(ids.length);
      const sent = mails.filter(({ state }) => state === 'sent').map(idOf);
      expect(sent.filter((id) => !ids.includes(id))).toEqual([]);
      console.info(
        `${KILLS} kills, ${slots.length} times: ${webhooks.length} webhook messages in ${hook.requests.length} ` +
          `requests; ${ids.length} of ${mails.length} mails arrived, ${mails.length - sent.length} unknown`,
      );
    } finally {
      await server?.kill();
      await mail.close();
      await hook.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  SETTLED_MS + (KILLS + 1) * MAX_ROUND_MS,
);
