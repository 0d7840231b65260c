/**
 * A server that is killed again and again (SIGKILL) around the time of scheduled changes: each slot is made once, and once
 * in the activity. `KILLS=200` kills it as often.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const KILLS = Number(process.env['KILLS'] ?? 8);
const KEY = 'phx_faults_personal_key';
/** With many kills, the answers are read in more requests than a key has in a minute. */
const ENV = { API_REQUESTS_PER_MINUTE: '0' };
const STEPS = 3;
const SETTLED_MS = 60_000;
const MAX_ROUND_MS = 30_000;
/** Apart, so that each is a slot of its own. */
const STEP_MS = 500;

interface Made {
  flag: number;
  change: number;
}

it(
  'makes each slot once, and writes it down once',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-schedules-'));
    let server: ServerProcess | null = null;
    try {
      server = await startServerProcess(dataDir, { env: ENV });
      const send = async (method: string, path: string, body?: object) =>
        (await call(server?.url ?? '', method, `/api/projects/1/${path}`, { key: KEY, body })).body;
      const makeFlag = async (key: string): Promise<number> =>
        (await send('POST', 'feature_flags/', { key, filters: { groups: [{ rollout_percentage: 0 }] } })).id;
      /** On a busy machine the time may have passed before it is asked for: then it is set anew. */
      const schedule = async (flag: number, changeAt: (start: number) => object): Promise<Made> => {
        for (let delay = 1000; ; delay *= 2) {
          const body = { record_id: flag, model_name: 'FeatureFlag', ...changeAt(Date.now() + delay) };
          const change = await send('POST', 'scheduled_changes/', body);
          if (change.attr === 'scheduled_at') continue;
          expect(change.detail).toBeUndefined();
          return { flag, change: change.id };
        }
      };
      const ramps: Made[] = [];
      const additions: Made[] = [];
      for (let round = 0; round < KILLS; round++) {
        const [ramped, added] = [await makeFlag(`ramped-${round}`), await makeFlag(`added-${round}`)];
        const time = (start: number, step: number): string => new Date(start + step * STEP_MS).toISOString();
        const stepsFrom = (start: number) =>
          Array.from({ length: STEPS }, (_, i) => ({ at: time(start, i), rollout_percentage: (i + 1) * 10 }));
        ramps.push(
          await schedule(ramped, (start) => ({ payload: { operation: 'ramp', value: { steps: stepsFrom(start) } } })),
        );
        for (let step = 0; step < STEPS; step++) {
          const value = { groups: [{ properties: [], rollout_percentage: (step + 1) * 10 }] };
          const payload = { operation: 'add_release_condition', value };
          additions.push(await schedule(added, (start) => ({ payload, scheduled_at: time(start, step) })));
        }
        // From before the first slot to after the last.
        await sleep((round * 337) % 3000);
        await server.kill();
        server = await startServerProcess(dataDir, { env: ENV });
      }
      const isWaiting = async ({ change }: Made): Promise<boolean> =>
        typeof (await send('GET', `scheduled_changes/${change}/`)).executed_at !== 'string';
      const waiting = async () => {
        let count = 0;
        for (const one of [...ramps, ...additions]) if (await isWaiting(one)) count++;
        return count;
      };
      await expect.poll(waiting, { timeout: SETTLED_MS, interval: 1000 }).toBe(0);
      const rollouts = async (flag: number): Promise<number[]> =>
        (await send('GET', `feature_flags/${flag}/`)).filters.groups.map(
          (group: { rollout_percentage: number }) => group.rollout_percentage,
        );
      /** Which changes made the updates in the activity of the flag. */
      const makers = async (flag: number): Promise<string[]> =>
        (await send('GET', `feature_flags/${flag}/activity/?limit=100`)).results
          .filter(({ activity }: { activity: string }) => activity === 'updated')
          .map(({ detail }: { detail: { trigger: { job_id: string } } }) => detail.trigger.job_id)
          .sort();
      for (const { flag, change } of ramps) {
        expect((await send('GET', `feature_flags/${flag}/`)).version).toBe(1 + STEPS);
        expect(await rollouts(flag)).toEqual([30]);
        expect(await makers(flag)).toEqual(Array.from({ length: STEPS }, () => String(change)));
      }
      for (const flag of new Set(additions.map((one) => one.flag))) {
        const changes = additions.filter((one) => one.flag === flag).map(({ change }) => String(change));
        expect((await rollouts(flag)).toSorted((a, b) => a - b)).toEqual([0, 10, 20, 30]);
        expect(await makers(flag)).toEqual(changes.sort());
      }
      console.info(`${KILLS} kills: ${ramps.length * STEPS + additions.length} slots, each once`);
    } finally {
      await server?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  SETTLED_MS + (KILLS + 1) * MAX_ROUND_MS,
);
