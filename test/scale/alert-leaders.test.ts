/**
 * Three processes that all take themselves for the leader; one after the other is stopped (SIGSTOP) and wakes late, or is
 * killed, while alerts fire each minute of a fast clock. One message for each alert, slot and target, none missing at
 * webhooks, no mail twice. `ROUNDS=200` does it as often.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type { Caller } from '../../src/access/callers.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { createAlert } from '../../src/features/alerts/alerts.ts';
import { readDefinition } from '../../src/features/alerts/rules/alert-definition.ts';
import { messageId } from '../../src/features/deliveries/rules/delivery-target.ts';
import { createFlag, updateFlag } from '../../src/features/flags/manage/flags.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { OWNER } from '../../src/stores/metadata/accounts.ts';
import { fastClock } from '../support/fast-clock.ts';
import { startMailServer } from '../support/mail-server.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../support/postgres.ts';
import { startHook } from '../support/webhook.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 9);
const ALERTS = 3;
/** A minute takes three seconds. */
const CLOCK_SPEED = 20;
const SETTLED_MS = 120_000;
const root = new URL('../..', import.meta.url).pathname;
const script = `${root}dist/test-alert-leader-${process.pid}.js`;

describeWithPostgres(() => {
  it(
    `tells each slot once in ${ROUNDS} rounds`,
    async () => {
      await build({
        entryPoints: [`${root}test/support/alert-leader.ts`],
        outfile: script,
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
      });
      const setup = await openPostgresSetup(tablesOf(FEATURES));
      const [mail, hook] = [await startMailServer(), await startHook()];
      const base = Date.now();
      const clock = fastClock(base, CLOCK_SPEED);
      const env = {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: setup.database.url,
        CLOCK_BASE: String(base),
        CLOCK_SPEED: String(CLOCK_SPEED),
        SMTP_URL: mail.config.smtpUrl,
      };
      const startLeader = async (): Promise<ChildProcess> => {
        const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
        await once(child.stdout ?? child, 'data');
        return child;
      };
      const timers: NodeJS.Timeout[] = [];
      let leaders: ChildProcess[] = [];
      let kills = 0;
      try {
        const { project, flagId, deps, caller } = await prepare(setup, clock, hook.url);
        leaders = await Promise.all([startLeader(), startLeader(), startLeader()]);
        for (let round = 0; round < ROUNDS; round++) {
          await updateFlag(deps, caller, project, flagId, { active: round % 2 === 1 });
          // At every moment of a minute.
          await sleep(1500 + ((round * 389) % 3000));
          const [victim, ...others] = leaders;
          if (!victim) throw new Error('no leader');
          if (round % 3 === 2) {
            victim.kill('SIGKILL');
            await once(victim, 'exit');
            kills++;
            leaders = [...others, await startLeader()];
          } else {
            victim.kill('SIGSTOP');
            // Longer than an attempt counts as running.
            timers.push(setTimeout(() => victim.kill('SIGCONT'), 3500 + ((round * 577) % 3000)));
            leaders = [...others, victim];
          }
        }
        const list = async () =>
          (await setup.metadata.deliveries.list(project.id, {}, { limit: 10_000, offset: 0 })).items;
        const isOpen = async () =>
          (await list()).filter(({ state }) => state === 'waiting' || state === 'sending').length;
        await sleep(10_000);
        await expect.poll(isOpen, { timeout: SETTLED_MS, interval: 1000 }).toBe(0);
        const rows = await list();
        const slots = rows.map(({ subjectId, slot, targetHash }) => `${subjectId} ${slot} ${targetHash}`);
        expect(new Set(slots).size).toBe(rows.length);
        const webhooks = rows.filter(({ target }) => target.type === 'webhook');
        const mails = rows.filter(({ target }) => target.type === 'email');
        expect(webhooks.length).toBeGreaterThanOrEqual(ALERTS);
        expect(mails).toHaveLength(webhooks.length);
        expect(new Set(webhooks.map(({ state }) => state))).toEqual(new Set(['sent']));
        const received = new Set(hook.requests.map(({ headers }) => headers['webhook-id']));
        expect([...received].sort()).toEqual(webhooks.map(({ key }) => messageId(key)).sort());
        const ids = mail.mails.map(({ text }) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? '');
        expect(new Set(ids).size).toBe(ids.length);
        expect(mails.every(({ state }) => state === 'sent' || state === 'unknown')).toBe(true);
        const sent = mails.filter(({ state }) => state === 'sent').map(({ key }) => messageId(key));
        expect(sent.filter((id) => !ids.includes(id))).toEqual([]);
        console.info(
          `${ROUNDS} rounds, ${kills} kills, ${timers.length} pauses: ${webhooks.length} webhook messages in ` +
            `${hook.requests.length} requests, ${ids.length} of ${mails.length} mails, ${mails.length - sent.length} unknown`,
        );
      } finally {
        for (const timer of timers) clearTimeout(timer);
        for (const leader of leaders) leader.kill('SIGKILL');
        await mail.close();
        await hook.close();
        await setup.remove();
        rmSync(script, { force: true });
      }
    },
    2 * SETTLED_MS + ROUNDS * 20_000,
  );
});

/** A user, a flag, and alerts on its changes. */
async function prepare({ metadata }: PostgresSetup, clock: ReturnType<typeof fastClock>, url: string) {
  const now = clock.now();
  const user = await metadata.users.create({
    uuid: randomIds.uuid(),
    distinctId: 'ada',
    email: 'ada@example.org',
    firstName: 'Ada',
    passwordHash: null,
    isActive: true,
    currentOrganizationId: null,
    currentProjectId: null,
    joinedAt: now,
    lastSignedInAt: null,
    isBreakGlass: false,
  });
  const membership = {
    id: randomIds.uuid(),
    organizationId: 'organization',
    userId: user.id,
    level: OWNER,
    ownLevel: OWNER,
    joinedAt: now,
    updatedAt: now,
  } as const;
  await metadata.memberships.create(membership);
  const caller: Caller = { user, memberships: [membership], via: 'session' };
  const deps = {
    metadata,
    clock,
    ids: randomIds,
    config: { publicUrl: null, webhookAllowPrivate: true },
    flagSnapshots: { invalidate: () => undefined },
  };
  const project = await metadata.projects.create(newProject(deps, 'organization', 'Project', 'phc_alerts'));
  const flag = await createFlag(deps, caller, project, { key: 'switch', active: true });
  const definition = readDefinition({ config: { type: 'FlagChangeConfig' }, calculation_interval: 'every_minute' });
  for (let n = 1; n <= ALERTS; n++)
    await createAlert(deps, caller, project, {
      name: `Flags ${n}`,
      definition,
      subscribedUsers: [user.id],
      targets: [{ id: null, type: 'webhook', url: `${url}/${n}`, rollSecret: false }],
    });
  return { project, flagId: flag.id, deps, caller };
}
