/** Everybody measured in halves, the rows read in slices: the same as in one piece, in random worlds. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeptMeasurements } from '../../src/features/experiments/measure/kept-measurements.ts';
import type { EverybodyDeps } from '../../src/features/experiments/measure/measure-everybody.ts';
import { measureExperiment } from '../../src/features/experiments/measure/measure-experiment.ts';
import { isSorted } from '../../src/features/experiments/measure/metric-plan.ts';
import type { ExperimentThreadMethods } from '../../src/features/experiments/thread-methods.ts';
import { SequenceThread } from '../../src/runtime/sequence-thread.ts';
import type { EventChanges } from '../../src/stores/events/event-changes.ts';
import { type EventFile, openWorldFile } from '../support/changing-world.ts';
import { shownData } from '../support/experiment-answers.ts';
import { anExperimentWorld, type ExperimentWorld } from '../support/experiment-worlds.ts';

/** Without what is measured on one thread: where the order of events at the same time matters. */
const aWorld: fc.Arbitrary<ExperimentWorld> = anExperimentWorld.map((world) => ({
  ...world,
  exposure: { ...world.exposure, actor: { kind: 'person' }, severalVariants: 'exclude' },
  metrics: world.metrics.filter((metric) => !isSorted(metric)),
  split: null,
}));

describe('experiments on two threads', () => {
  let file: EventFile;
  let thread: SequenceThread;
  beforeAll(async () => {
    file = await openWorldFile();
    thread = new SequenceThread();
  });
  afterAll(async () => {
    await thread.close();
    await file.close();
  });

  /** Three events in each statement. */
  const changes: EventChanges = {
    mark: () => file.events.mark(),
    queryAdded: (...args) => file.events.queryAdded(...args),
    havePersonsChanged: (...args) => file.events.havePersonsChanged(...args),
    queryTogether: (...args) => file.events.queryTogether(...args),
    queryParts: (...args) => file.events.queryParts(...args),
    sliceRows: (mark) => file.events.sliceRows(mark, 3),
  };

  async function compare(
    { data, exposure, metrics }: ExperimentWorld,
    secondThread: EverybodyDeps['secondThread'],
  ): Promise<void> {
    const world = await file.put(data, []);
    await world.mirror();
    await world.addEvents(data.events.length);
    const all = await measureExperiment(file.deps, world.projectId, exposure, metrics);
    const deps = { ...file.deps, changes, secondThread, minSharedEvents: 0 };
    const kept = new KeptMeasurements();
    // Measured, and then added up again from what was kept.
    for (let round = 0; round < 2; round++) {
      const halves = await kept.measure(deps, world.projectId, { exposure, metrics, split: null });
      expect(halves.exposures).toEqual(all.exposures);
      expect(halves.metrics.map(shownData)).toEqual(all.metrics.map(shownData));
    }
  }

  it('are measured as on one', async () => {
    let shared = 0;
    const secondThread = (): ExperimentThreadMethods | undefined => {
      shared++;
      return thread.methods();
    };
    await fc.assert(
      fc.asyncProperty(aWorld, (world) => compare(world, secondThread)),
      { numRuns: Number(process.env['EXPERIMENT_WORLDS'] ?? 12), seed: 116 },
    );
    expect(shared).toBeGreaterThan(0);
  }, 60_000);

  it('are measured on one if the other ends', async () => {
    let calls = 0;
    const measureRows = (): Promise<never> => {
      calls++;
      return Promise.reject(new Error('It has ended.'));
    };
    await fc.assert(
      fc.asyncProperty(aWorld, (world) => compare(world, () => ({ measureRows }))),
      { numRuns: 4, seed: 116 },
    );
    expect(calls).toBeGreaterThan(0);
  }, 60_000);
});
