/** Who was exposed, and what they did: the engine against the oracle, in random worlds. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureExperiment } from '../../src/features/experiments/measure/measure-experiment.ts';
import { exposuresOf, valuesOf } from '../oracle/experiment.ts';
import { World } from '../oracle/world.ts';
import { expectedData, shownData } from '../support/experiment-answers.ts';
import { anExperimentWorld } from '../support/experiment-worlds.ts';
import { type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { tools } from '../support/oracle-answers.ts';

describe('experiments in DuckDB', () => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  it('count exposures and measure metrics as the oracle does', async () => {
    await fc.assert(
      fc.asyncProperty(anExperimentWorld, async ({ data: given, exposure, metrics, split }) => {
        const { projectId, data } = await store.put(given);
        const world = new World(data, tools);
        const { exposures, metrics: found } = await measureExperiment(store.deps, projectId, exposure, metrics, split);
        expect(exposures).toEqual(exposuresOf(exposure, world, split));
        for (const [at, metric] of metrics.entries())
          expect(shownData(found[at] ?? [])).toEqual(expectedData(metric, valuesOf(exposure, metric, world, split)));
      }),
      { numRuns: Number(process.env['EXPERIMENT_WORLDS'] ?? 10), seed: 21 },
    );
  });
});
