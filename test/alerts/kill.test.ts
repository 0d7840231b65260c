/**
 * A server that is killed again and again (SIGKILL) while it checks alerts and sends: nothing missing, nothing twice.
 * `KILLS=500` kills it as often.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { startHook } from '../support/webhook.ts';

const KILLS = Number(process.env['KILLS'] ?? 11);
const KEY = 'phx_faults_personal_key';
/** The end of a minute, the time for late events, and the time after which an attempt counts as interrupted. */
const SETTLED_MS = 200_000;
const MAX_ROUND_MS = 30_000;
const PAGE_SIZE = 1000;

interface Logged {
  kind: string;
  slot: string;
  target_type: string;
  message_id: string;
  state: string;
}

it(
  'delivers each message once to webhooks that keep ids, and no mail twice',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-alerts-'));
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
      const flag = (await send('POST', 'feature_flags/', { key: 'switch', active: true })).body.id;
      const alert = await send('POST', 'alerts/', {
        name: 'Flags',
        config: { type: 'FlagChangeConfig', kinds: ['active'] },
        calculation_interval: 'every_minute',
        subscribed_users: [1],
        targets: [{ type: 'webhook', url: hook.url }],
      });
      expect([alert.status, alert.body.detail]).toEqual([201, undefined]);
      let acknowledged = 0;
      for (let round = 0; round <= KILLS; round++) {
        const isLast = round === KILLS;
        await send('PATCH', `feature_flags/${flag}/`, { active: round % 2 === 1 });
        const tested = send('POST', `alerts/${alert.body.id}/test/`).then(
          ({ status }) => status === 201,
          () => false,
        );
        // From in the middle of the request to after the sending.
        await sleep((round * 137) % 1100);
        if (!isLast) await server.kill();
        if (await tested) acknowledged++;
        if (!isLast) server = await startServerProcess(dataDir, { env });
      }
      const log = async (offset = 0): Promise<Logged[]> => {
        const { results } = (await send('GET', `deliveries/?limit=${PAGE_SIZE}&offset=${offset}`)).body;
        return results.length < PAGE_SIZE ? results : [...results, ...(await log(offset + PAGE_SIZE))];
      };
      const end = performance.now() + SETTLED_MS;
      const isOpen = ({ state }: Logged): boolean => state === 'waiting' || state === 'sending';
      const lastChecked = async () => (await send('GET', `alerts/${alert.body.id}/`)).body.checks[0]?.state;
      // Until a minute without changes was checked, and nothing is on its way.
      while (performance.now() < end) {
        if ((await lastChecked()) === 'Not firing' && !(await log()).some(isOpen)) break;
        await sleep(1000);
      }
      const rows = await log();
      const webhooks = rows.filter(({ target_type }) => target_type === 'webhook');
      const mails = rows.filter(({ target_type }) => target_type === 'email');
      expect(acknowledged).toBeGreaterThan(0);
      expect(webhooks.filter(({ kind }) => kind === 'test').length).toBeGreaterThanOrEqual(acknowledged);
      expect(webhooks.filter(({ kind }) => kind === 'alert').length).toBeGreaterThan(0);
      // One message for each slot and target.
      expect(new Set(rows.map(({ message_id }) => message_id)).size).toBe(rows.length);
      const slots = webhooks.filter(({ kind }) => kind === 'alert').map(({ slot }) => slot);
      expect(new Set(slots).size).toBe(slots.length);
      // None is missing, and no other came.
      expect(webhooks.every(({ state }) => state === 'sent')).toBe(true);
      const received = new Set(hook.requests.map(({ headers }) => headers['webhook-id']));
      expect([...received].sort()).toEqual(webhooks.map(({ message_id }) => message_id).sort());
      expect(mails.every(({ state }) => state === 'sent' || state === 'unknown')).toBe(true);
      const ids = mail.mails.map(({ text }) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? '');
      expect(new Set(ids).size).toBe(ids.length);
      const sent = mails.filter(({ state }) => state === 'sent').map(({ message_id }) => message_id);
      expect(sent.filter((id) => !ids.includes(id))).toEqual([]);
      console.info(
        `${KILLS} kills: ${webhooks.length} webhook messages in ${hook.requests.length} requests, ` +
          `${ids.length} of ${mails.length} mails, ${mails.length - sent.length} unknown, ${slots.length} slots`,
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
