/**
 * Two processes that both take themselves for the leader, one of which is stopped (SIGSTOP) around the time of a change
 * and wakes late, or is killed: each slot is made once, and once in the activity. `ROUNDS=200` does it as often.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../src/access/callers.ts';
import { Failure } from '../../src/core/errors.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { createFlag } from '../../src/features/flags/manage/flags.ts';
import { createScheduledChange } from '../../src/features/scheduled-changes/scheduled-changes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { OWNER, type Project } from '../../src/stores/metadata/accounts.ts';
import { describeWithPostgres, openPostgresSetup, type PostgresSetup } from '../support/postgres.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 6);
const STEPS = 3;
/** Longer than PostgreSQL waits for a stopped process that holds a transaction, and the time of a slow machine. */
const SETTLED_MS = 120_000;
const root = new URL('../..', import.meta.url).pathname;
const script = `${root}dist/test-schedule-leader-${process.pid}.js`;

describeWithPostgres(() => {
  let setup: PostgresSetup;
  let project: Project;
  let caller: Caller;
  beforeAll(async () => {
    await build({
      entryPoints: [`${root}test/support/schedule-leader.ts`],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    setup = await openPostgresSetup(tablesOf(FEATURES));
    const { metadata } = setup;
    const now = Date.now();
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
    caller = { user, memberships: [membership], via: 'session' };
    const deps = { clock: systemClock, ids: randomIds };
    project = await metadata.projects.create(newProject(deps, 'organization', 'Project', 'phc_leaders'));
  });
  afterAll(async () => {
    await setup?.remove();
    rmSync(script, { force: true });
  });

  async function startLeader(): Promise<ChildProcess> {
    const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: setup.database.url };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout ?? child, 'data');
    return child;
  }
  const deps = () => ({
    metadata: setup.metadata,
    clock: systemClock,
    ids: randomIds,
    config: { publicUrl: null },
    flagSnapshots: { invalidate: () => undefined },
  });

  /** A flag that is rolled out in three steps within two seconds. */
  async function schedule(round: number): Promise<{ flagId: number; changeId: number }> {
    const filters = { groups: [{ properties: [], rollout_percentage: 0 }] };
    const flag = await createFlag(deps(), caller, project, { key: `flag-${round}`, filters });
    // A stopped leader may hold the lock of all writers for a while: then the time has passed, and it is set anew.
    for (let delay = 400; ; delay *= 2) {
      const start = Date.now() + delay;
      const steps = Array.from({ length: STEPS }, (_, step) => ({
        at: new Date(start + step * 700).toISOString(),
        rollout_percentage: (step + 1) * 10,
      }));
      const payload = { operation: 'ramp', value: { condition_index: 0, steps } };
      try {
        const change = await createScheduledChange(deps(), caller, project, flag.id, { payload });
        return { flagId: flag.id, changeId: change.id };
      } catch (error) {
        if (!(error instanceof Failure) || error.attr !== 'scheduled_at') throw error;
      }
    }
  }

  it(
    `makes each slot once in ${ROUNDS} rounds`,
    async () => {
      const made: { flagId: number; changeId: number }[] = [];
      const paused: NodeJS.Timeout[] = [];
      let leaders = [await startLeader(), await startLeader()];
      let kills = 0;
      try {
        for (let round = 0; round < ROUNDS; round++) {
          made.push(await schedule(round));
          // From before the first step to after the last.
          await sleep((round * 389) % 2400);
          const [victim, other] = leaders as [ChildProcess, ChildProcess];
          if (round % 3 === 2) {
            victim.kill('SIGKILL');
            await once(victim, 'exit');
            kills++;
            leaders = [other, await startLeader()];
          } else {
            victim.kill('SIGSTOP');
            // Wakes long after the others have gone on; the order of the two changes.
            paused.push(setTimeout(() => victim.kill('SIGCONT'), 1500 + ((round * 577) % 2500)));
            leaders = [other, victim];
          }
        }
        const { metadata } = setup;
        const isDone = async ({ changeId }: { changeId: number }) =>
          (await metadata.scheduledChanges.get(project.id, changeId))?.executedAt !== null;
        await expect
          .poll(async () => (await Promise.all(made.map(isDone))).filter((done) => !done).length, {
            timeout: SETTLED_MS,
            interval: 1000,
          })
          .toBe(0);
        // Those that sleep wake up and look once more.
        await sleep(5000);
        const found = [];
        for (const { flagId, changeId } of made) {
          const flag = await metadata.flags.get(project.id, flagId);
          const change = await metadata.scheduledChanges.get(project.id, changeId);
          const about = { organizationId: 'organization', projectId: project.id, scopes: ['FeatureFlag'] };
          const { items } = await metadata.activity.list(
            { ...about, itemId: String(flagId) },
            { limit: 100, offset: 0 },
          );
          const updates = items.filter(({ activity }) => activity === 'updated');
          found.push({
            version: flag?.version,
            rollout: (flag?.filters['groups'] as { rollout_percentage: number }[] | undefined)?.[0]?.rollout_percentage,
            failure: change?.failureReason,
            updates: updates.length,
          });
        }
        expect(found).toEqual(made.map(() => ({ version: 1 + STEPS, rollout: 30, failure: null, updates: STEPS })));
        console.info(`${ROUNDS} rounds: ${ROUNDS * STEPS} slots, ${kills} kills, ${paused.length} pauses`);
      } finally {
        for (const timer of paused) clearTimeout(timer);
        for (const leader of leaders) leader.kill('SIGKILL');
      }
    },
    SETTLED_MS + ROUNDS * 20_000,
  );
});
