/** Sites in random worlds: every number is the same on ClickHouse as on DuckDB, merges included. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { answerTrends } from '../../../src/features/insights/trends/answer-trends.ts';
import { readTrendsQuestion } from '../../../src/features/insights/trends/rules/read-trends.ts';
import { answerOverview } from '../../../src/features/web-analytics/measure/answer-overview.ts';
import { webWorkerMethods } from '../../../src/features/web-analytics/worker-methods.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { aSessionTrend, SITE_NOW } from '../../support/session-questions.ts';
import { openTwoEngines, type TwoEngines } from '../../support/two-engines.ts';
import { aWebWorld, shownOverview, WEB_TABLES } from '../../support/web-worlds.ts';

vi.setConfig(TIMEOUTS);
const WORLDS = Number(process.env['TWO_ENGINES_WORLDS'] ?? 2);
const worlds = fc.sample(aWebWorld, { numRuns: WORLDS, seed: 5 });
const trends = fc.sample(aSessionTrend, { numRuns: 6 * WORLDS, seed: 5 });

await describeWithClickHouse('sites on DuckDB and ClickHouse', (server) => {
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
    const asked = { web: world.question, previous: null, tables: [...WEB_TABLES, 'hour', 'new'] as const, goals: [] };
    const ask = async (deps: TwoEngines['duckdb']) =>
      shownOverview(await answerOverview(deps, projects[at] ?? 0, asked));
    expect(await ask(engines.clickhouse)).toEqual(await ask(engines.duckdb));
    const page = { limit: 100, offset: 0, search: '', order: 'value' } as const;
    const pages = (deps: TwoEngines['duckdb']) =>
      webWorkerMethods(deps as Parameters<typeof webWorkerMethods>[0]).answerWeb('breakdown', projects[at] ?? 0, {
        web: world.question,
        by: 'page',
        page,
      });
    expect(await pages(engines.clickhouse)).toEqual(await pages(engines.duckdb));
  });

  it.each(trends.map((fields, at) => ({ fields, at })))(
    'have the same properties of sessions in question $at',
    async ({ fields, at }) => {
      const context = { now: SITE_NOW, timezone: 'UTC', cohort: () => undefined, action: () => undefined };
      const question = readTrendsQuestion(fields, context);
      const ask = (deps: TwoEngines['duckdb']) => answerTrends(deps, projects[at % worlds.length] ?? 0, question);
      expect(await ask(engines.clickhouse)).toEqual(await ask(engines.duckdb));
    },
  );
});
