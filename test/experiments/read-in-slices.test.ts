/** Everybody measured from rows that are read in slices: the same as in one piece, in random worlds. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeptMeasurements } from '../../src/features/experiments/measure/kept-measurements.ts';
import { measureExperiment } from '../../src/features/experiments/measure/measure-experiment.ts';
import type { EventChanges } from '../../src/stores/events/event-changes.ts';
import { type EventFile, openWorldFile } from '../support/changing-world.ts';
import { shownData } from '../support/experiment-answers.ts';
import { anExperimentWorld, type ExperimentWorld } from '../support/experiment-worlds.ts';

const aWorld: fc.Arbitrary<ExperimentWorld> = anExperimentWorld.map((world) => ({
  ...world,
  exposure: { ...world.exposure, actor: { kind: 'person' } },
  split: null,
}));

describe('experiments that are read in slices', () => {
  let file: EventFile;
  beforeAll(async () => {
    file = await openWorldFile();
  });
  afterAll(() => file.close());

  it('are measured as in one piece', async () => {
    let slices = 0;
    /** Three events in each statement. */
    const changes: EventChanges = {
      mark: () => file.events.mark(),
      queryAdded: (...args) => file.events.queryAdded(...args),
      havePersonsChanged: (...args) => file.events.havePersonsChanged(...args),
      queryTogether: (...args) => file.events.queryTogether(...args),
      queryParts: (...args) => file.events.queryParts(...args),
      sliceRows: (mark) => {
        const conditions = file.events.sliceRows(mark, 3);
        slices = Math.max(slices, conditions.length);
        return conditions;
      },
    };
    const compare = async ({ data, exposure, metrics }: ExperimentWorld): Promise<void> => {
      const world = await file.put(data, []);
      await world.mirror();
      await world.addEvents(data.events.length);
      const all = await measureExperiment(file.deps, world.projectId, exposure, metrics);
      const kept = new KeptMeasurements();
      // Measured, and then added up again from what was kept.
      for (let round = 0; round < 2; round++) {
        const found = await kept.measure({ ...file.deps, changes }, world.projectId, {
          exposure,
          metrics,
          split: null,
        });
        expect(found.exposures).toEqual(all.exposures);
        expect(found.metrics.map(shownData)).toEqual(all.metrics.map(shownData));
      }
    };
    await fc.assert(fc.asyncProperty(aWorld, compare), {
      numRuns: Number(process.env['EXPERIMENT_WORLDS'] ?? 12),
      seed: 116,
    });
    expect(slices).toBeGreaterThan(1);
  }, 60_000);
});
