import { afterEach, beforeEach, expect, it } from 'vitest';
import { aCohort } from '../../../test/contract/flag-builders.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { Failure } from '../../core/errors.ts';
import { openLog } from '../../lib/log.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { CohortCalculations } from './cohort-calculations.ts';

const MINUTE = 60_000;
const dir = makeTempDir();
let files = 0;
let now = 100 * MINUTE;
let metadata: MetadataStore;
let calculations: CohortCalculations | null = null;
let asked: number[] = [];
/** What the next calculations throw. */
let faults: Error[] = [];

beforeEach(async () => {
  ({ metadata } = await openMigratedStore(dir.path(`${++files}.sqlite`)));
  now = 100 * MINUTE;
  asked = [];
  faults = [];
});
afterEach(async () => {
  await calculations?.stop();
  await metadata.close();
});

const start = (): CohortCalculations => {
  calculations = new CohortCalculations({
    metadata,
    clock: { now: () => now },
    logger: openLog('silent'),
    calculate: async (projectId, id) => {
      asked.push(id);
      const fault = faults.shift();
      if (fault) throw fault;
      const cohort = (await metadata.cohorts.get(projectId, id)) as Cohort;
      await metadata.cohorts.update({ ...cohort, isCalculating: false, lastCalculation: now });
    },
  });
  calculations.start();
  return calculations;
};
const create = (rest: Partial<Cohort> = {}): Promise<Cohort> => metadata.cohorts.create(aCohort(1, rest));
const asks = (id: number) => ({ properties: { type: 'AND', values: [{ type: 'cohort', key: 'id', value: id }] } });

it('starts with those that were waiting before a crash', async () => {
  const { id } = await create({ isCalculating: true });
  await create({ lastCalculation: 1 });
  await start().whenIdle();
  expect(asked).toEqual([id]);
});

it('calculates cohorts before those that refer to them', async () => {
  const outer = await create({ isCalculating: true });
  const inner = await create({ isCalculating: true });
  const innermost = await create({ isCalculating: true, filters: { properties: 5 } });
  await metadata.cohorts.update({ ...outer, filters: asks(inner.id) });
  await metadata.cohorts.update({ ...inner, filters: asks(innermost.id) });
  await start().whenIdle();
  expect(asked).toEqual([innermost.id, inner.id, outer.id]);
});

it('calculates some of those older than 15 minutes in each round', async () => {
  const fresh = await create({ lastCalculation: now - 15 * MINUTE });
  const old: number[] = [];
  for (let i = 0; i < 7; i++) old.push((await create({ lastCalculation: now - 16 * MINUTE - i })).id);
  const running = start();
  await running.startRound();
  await running.whenIdle();
  expect([...asked].sort((a, b) => a - b)).toEqual(old.slice(2));
  await running.startRound();
  await running.whenIdle();
  expect(asked.slice(5).sort((a, b) => a - b)).toEqual(old.slice(0, 2));
  now += 1;
  await running.startRound();
  await running.whenIdle();
  expect(asked.at(-1)).toBe(fresh.id);
});

it('counts failures, and stops after too many', async () => {
  const { id } = await create({ lastCalculation: 1, errorsCalculating: 19 });
  const running = start();
  const round = async (): Promise<Cohort | null> => {
    faults = [new Error('boom')];
    await running.startRound();
    await running.whenIdle();
    return metadata.cohorts.get(1, id);
  };
  expect(await round()).toMatchObject({ errorsCalculating: 20, isCalculating: false, lastCalculation: 1 });
  expect(await round()).toMatchObject({ errorsCalculating: 21 });
  expect(await round()).toMatchObject({ errorsCalculating: 21 });
  expect(asked).toHaveLength(2);
});

it('waits for an unavailable store without counting a failure', async () => {
  const { id } = await create({ isCalculating: true });
  faults = [new Failure('unavailable', 'away'), new Failure('unavailable', 'away')];
  await start().whenIdle();
  expect(asked).toEqual([id, id, id]);
  expect(await metadata.cohorts.get(1, id)).toMatchObject({ errorsCalculating: 0, lastCalculation: now });
});
