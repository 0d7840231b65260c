/** Experiments in random worlds: exposures and metrics are the same on ClickHouse as on DuckDB, merges included. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { measureExperiment } from '../../../src/features/experiments/measure/measure-experiment.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { shownData } from '../../support/experiment-answers.ts';
import { anExperimentWorld } from '../../support/experiment-worlds.ts';
import { openTwoEngines, type TwoEngines } from '../../support/two-engines.ts';

vi.setConfig(TIMEOUTS);
const worlds = fc.sample(anExperimentWorld, { numRuns: Number(process.env['TWO_ENGINES_WORLDS'] ?? 2), seed: 21 });

await describeWithClickHouse('experiments on DuckDB and ClickHouse', (server) => {
  let database: TestDatabase;
  let engines: TwoEngines;
  const projects: number[] = [];

  beforeAll(async () => {
    database = await makeDatabase(server);
    engines = await openTwoEngines(database.options);
    for (const { data } of worlds) {
      const merged = new Map(data.persons.slice(0, 2).map(({ uuid }) => [uuid, uuid.replace('-0000-', '-ffff-')]));
      projects.push((await engines.put(data, merged)).projectId);
    }
    await engines.ship();
  });
  afterAll(async () => {
    await engines?.close();
    await database?.drop();
  });

  it.each(worlds.map((world, at) => ({ world, at })))('are the same in world $at', async ({ world, at }) => {
    const { exposure, metrics, split } = world;
    const projectId = projects[at] ?? 0;
    const [found, other] = await Promise.all(
      [engines.clickhouse, engines.duckdb].map((deps) => measureExperiment(deps, projectId, exposure, metrics, split)),
    );
    expect(found?.exposures).toEqual(other?.exposures);
    expect(found?.metrics.map(shownData)).toEqual(other?.metrics.map(shownData));
  });
});
