/**
 * Three processes that all take themselves for the leader, while alerts fire each minute of a fast clock. Each dies at
 * one of the points between two of its steps, or at any other moment, and is replaced; in between, one is stopped (SIGSTOP)
 * and wakes late. One check and one message for each alert, slot and target, none missing at webhooks, no mail twice.
 * `KILLS=500` kills as often.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import type { Caller } from '../../src/access/callers.ts';
import { MINUTE_MS } from '../../src/core/time/units.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { createAlert } from '../../src/features/alerts/alerts.ts';
import { readDefinition } from '../../src/features/alerts/rules/alert-definition.ts';
import { messageId } from '../../src/features/deliveries/rules/delivery-target.ts';
import { createFlag, updateFlag } from '../../src/features/flags/manage/flags.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { OWNER } from '../../src/stores/metadata/accounts.ts';
import { DEATH_POINTS } from '../support/death-points.ts';
import { fastClock } from '../support/fast-clock.ts';
import { startMailServer } from '../support/mail-server.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../support/postgres.ts';
import { startHook } from '../support/webhook.ts';

const KILLS = Number(process.env['KILLS'] ?? 9);
const ALERTS = 3;
/** A minute takes three seconds. */
const CLOCK_SPEED = 20;
const SETTLED_MS = 120_000;
const root = new URL('../..', import.meta.url).pathname;
const script = `${root}dist/test-alert-leader-${process.pid}.js`;

/** Undefined: no point of its own, it is killed from outside. */
const POINTS = [...DEATH_POINTS, undefined];

describeWithPostgres(() => {
  it(
    `tells each slot once through ${KILLS} kills`,
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
      const leaders = new Leaders(env);
      try {
        const { project, flagId, deps, caller, alertIds } = await prepare(setup, clock, hook.url);
        await leaders.start();
        let changedAt = 0;
        const change = async (isActive: boolean): Promise<void> => {
          await updateFlag(deps, caller, project, flagId, { active: isActive });
          changedAt = clock.now();
        };
        for (let round = 0; leaders.deaths.length < KILLS; round++) {
          await change(round % 2 === 1);
          await sleep(700 + ((round * 389) % 900));
          await leaders.disturb(round);
        }
        await leaders.replaceAll();
        const { alerts, deliveries } = setup.metadata;
        const hasFired = async (id: string): Promise<boolean> =>
          (await alerts.listChecks(id, { limit: 10_000, offset: 0 })).items.some(
            ({ details }) => details.state === 'Firing',
          );
        const haveFired = async (): Promise<boolean> => (await Promise.all(alertIds.map(hasFired))).every(Boolean);
        // On a busy machine, every minute with a change may have been missed so far.
        const end = Date.now() + SETTLED_MS;
        for (let round = 0; Date.now() < end && !(await haveFired()); round++) {
          await change(round % 2 === 0);
          await sleep(MINUTE_MS / CLOCK_SPEED);
        }
        const list = async () => (await deliveries.list(project.id, {}, { limit: 10_000, offset: 0 })).items;
        /** Minutes with changes that were not checked, and messages on their way. */
        const open = async () => {
          const nextSlots = await Promise.all(
            alertIds.map(async (id) => (await alerts.get(project.id, id))?.nextSlot ?? 0),
          );
          const isOpen = ({ state }: { state: string }) => state === 'waiting' || state === 'sending';
          return nextSlots.filter((slot) => slot <= changedAt).length + (await list()).filter(isOpen).length;
        };
        await expect.poll(open, { timeout: SETTLED_MS, interval: 1000 }).toBe(0);
        const rows = await list();
        const slots = rows.map(({ subjectId, slot, targetHash }) => `${subjectId} ${slot} ${targetHash}`);
        expect(new Set(slots).size).toBe(rows.length);
        const webhooks = rows.filter(({ target }) => target.type === 'webhook');
        const mails = rows.filter(({ target }) => target.type === 'email');
        let missed = 0;
        for (const id of alertIds) {
          const checks = (await alerts.listChecks(id, { limit: 10_000, offset: 0 })).items.toReversed();
          // Minute after minute; those that nobody was there for are counted.
          const gaps = checks.slice(1).map(({ slot }, i) => (slot - (checks[i]?.slot ?? 0)) / MINUTE_MS - 1);
          expect(checks.slice(1).map(({ details }) => details.missed)).toEqual(gaps);
          missed += checks.reduce((sum, { details }) => sum + details.missed, 0);
          // One message to each target for each minute with changes, and no other.
          const told = checks.filter(({ details }) => details.state === 'Firing').map(({ slot }) => slot);
          const slotsOf = (some: typeof rows) =>
            some
              .filter(({ subjectId }) => subjectId === id)
              .map(({ slot }) => slot)
              .sort((a, b) => a - b);
          expect(told.length).toBeGreaterThan(0);
          expect(slotsOf(webhooks)).toEqual(told);
          expect(slotsOf(mails)).toEqual(told);
        }
        expect(new Set(webhooks.map(({ state }) => state))).toEqual(new Set(['sent']));
        const received = new Set(hook.requests.map(({ headers }) => headers['webhook-id']));
        expect([...received].sort()).toEqual(webhooks.map(({ key }) => messageId(key)).sort());
        const ids = mail.mails.map(({ text }) => /^Message-ID: <([^@]+)@/im.exec(text)?.[1] ?? '');
        expect(new Set(ids).size).toBe(ids.length);
        expect(mails.every(({ state }) => state === 'sent' || state === 'unknown')).toBe(true);
        const sent = mails.filter(({ state }) => state === 'sent').map(({ key }) => messageId(key));
        expect(sent.filter((id) => !ids.includes(id))).toEqual([]);
        console.info(
          `${leaders.deaths.length} kills (${summary(leaders.deaths)}), ${leaders.pauses} pauses: ` +
            `${webhooks.length} webhook messages in ${hook.requests.length} requests, ` +
            `${ids.length} of ${mails.length} mails, ${mails.length - sent.length} unknown, ${missed} minutes missed`,
        );
      } finally {
        leaders.stop();
        await mail.close();
        await hook.close();
        await setup.remove();
        rmSync(script, { force: true });
      }
    },
    3 * SETTLED_MS + KILLS * 20_000,
  );
});

/** How often each. */
const summary = (deaths: readonly string[]): string =>
  [...new Set(deaths)].map((point) => `${point}: ${deaths.filter((one) => one === point).length}`).join(', ');

/** Three processes; one that dies is replaced by one that dies elsewhere. */
class Leaders {
  readonly #env: Record<string, string>;
  readonly #running = new Set<ChildProcess>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #started = 0;
  #isStopping = false;
  /** Where. */
  readonly deaths: string[] = [];
  pauses = 0;

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  async start(): Promise<void> {
    await Promise.all([this.#add(), this.#add(), this.#add()]);
  }

  async #add(): Promise<void> {
    const point = this.#isStopping ? undefined : POINTS[this.#started++ % POINTS.length];
    const env = point === undefined ? this.#env : { ...this.#env, DIE_AT: point };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#running.add(child);
    child.once('exit', () => {
      this.#running.delete(child);
      if (this.#isStopping) return;
      this.deaths.push(point ?? 'any moment');
      void this.#add();
    });
    // Also if it dies at once.
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')]);
  }

  /** Every third time the oldest is killed; otherwise it is stopped for longer than an attempt counts as running. */
  async disturb(round: number): Promise<void> {
    const [oldest] = this.#running;
    if (oldest === undefined) return;
    if (round % 3 === 2) {
      oldest.kill('SIGKILL');
      return;
    }
    if (round % 3 === 1) return;
    this.pauses++;
    oldest.kill('SIGSTOP');
    const timer = setTimeout(
      () => {
        oldest.kill('SIGCONT');
        this.#timers.delete(timer);
      },
      3500 + ((round * 577) % 3000),
    );
    this.#timers.add(timer);
  }

  /** By three that live. */
  async replaceAll(): Promise<void> {
    this.stop();
    await this.start();
  }

  stop(): void {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const child of this.#running) child.kill('SIGKILL');
    this.#running.clear();
  }
}

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
  const alertIds: string[] = [];
  for (let n = 1; n <= ALERTS; n++) {
    const { alert } = await createAlert(deps, caller, project, {
      name: `Flags ${n}`,
      definition,
      subscribedUsers: [user.id],
      targets: [{ id: null, type: 'webhook', url: `${url}/${n}`, rollSecret: false }],
    });
    alertIds.push(alert.id);
  }
  return { project, flagId: flag.id, deps, caller, alertIds };
}
