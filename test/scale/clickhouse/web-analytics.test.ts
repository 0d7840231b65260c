/** Sites in random worlds: every number is the same on ClickHouse as on DuckDB, merges included. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { answerRetention } from '../../../src/features/insights/retention/answer-retention.ts';
import { readRetentionQuestion } from '../../../src/features/insights/retention/rules/read-retention.ts';
import { answerTrends } from '../../../src/features/insights/trends/answer-trends.ts';
import { readTrendsQuestion } from '../../../src/features/insights/trends/rules/read-trends.ts';
import { answerOverview } from '../../../src/features/web-analytics/measure/answer-overview.ts';
import { webWorkerMethods } from '../../../src/features/web-analytics/worker-methods.ts';
import { uuidOf } from '../../contract/events.ts';
import type { WorldData } from '../../oracle/world.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { aSessionRetention, aSessionTrend, SITE_NOW } from '../../support/session-questions.ts';
import { openTwoEngines, type TwoEngines } from '../../support/two-engines.ts';
import { aWebWorld, shownOverview, WEB_RANGE, WEB_TABLES } from '../../support/web-worlds.ts';

vi.setConfig(TIMEOUTS);
const WORLDS = Number(process.env['TWO_ENGINES_WORLDS'] ?? 2);
const worlds = fc.sample(aWebWorld, { numRuns: WORLDS, seed: 5 });
const trends = fc.sample(aSessionTrend, { numRuns: 6 * WORLDS, seed: 5 });
const retentions = fc.sample(aSessionRetention, { numRuns: 2 * WORLDS, seed: 5 });
const context = { now: SITE_NOW, timezone: 'UTC', cohort: () => undefined, action: () => undefined };

const load = (path: string, time: number, at: number) => ({
  uuid: uuidOf(at + 1),
  event: '$web_vitals',
  distinctId: 'd',
  personId: uuidOf(1000),
  timestamp: WEB_RANGE.from + at,
  properties: { $pathname: path, $web_vitals_LCP_value: time },
  groups: [],
});
const TIMES = [100, 200, 300, 400, 500];
const VITALS: WorldData = {
  events: TIMES.flatMap((time, at) => [
    load('/fast', time, 2 * at),
    load('/slow', time < 500 ? 4000 : 9000, 2 * at + 1),
  ]),
  persons: [{ id: 1, uuid: uuidOf(1000), createdAt: 0, properties: {}, distinctIds: ['d'] }],
};

await describeWithClickHouse('sites on DuckDB and ClickHouse', (server) => {
  let database: TestDatabase;
  let engines: TwoEngines;
  const projects: number[] = [];
  let vitals = 0;

  beforeAll(async () => {
    database = await makeDatabase(server);
    engines = await openTwoEngines(database.options);
    for (const { data } of worlds) {
      const merged = new Map(data.persons.slice(0, 2).map(({ uuid }) => [uuid, uuid.replace('-0000-', '-ffff-')]));
      projects.push((await engines.put(data, merged)).projectId);
    }
    vitals = (await engines.put(VITALS)).projectId;
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

  it('have the same web vitals, with their worst pages', async () => {
    const web = { ...(worlds[0] as (typeof worlds)[number]).question, filters: [], range: WEB_RANGE };
    const ask = async (deps: TwoEngines['duckdb']) =>
      (await answerOverview(deps, vitals, { web, previous: null, tables: [], goals: [] })).vitals;
    const found = await ask(engines.clickhouse);
    expect(found.LCP).toEqual({
      p75: 4000,
      n: 10,
      pages: [
        { path: '/slow', p75: 4000, n: 5 },
        { path: '/fast', p75: 400, n: 5 },
      ],
    });
    expect(found).toEqual(await ask(engines.duckdb));
  });

  it.each(trends.map((fields, at) => ({ fields, at })))(
    'have the same properties of sessions in question $at',
    async ({ fields, at }) => {
      const question = readTrendsQuestion(fields, context);
      const ask = (deps: TwoEngines['duckdb']) => answerTrends(deps, projects[at % worlds.length] ?? 0, question);
      expect(await ask(engines.clickhouse)).toEqual(await ask(engines.duckdb));
    },
  );

  it.each(retentions.map((fields, at) => ({ fields, at })))(
    'have the same retention by properties of sessions in question $at',
    async ({ fields, at }) => {
      const question = readRetentionQuestion(fields, context);
      const ask = (deps: TwoEngines['duckdb']) => answerRetention(deps, projects[at % worlds.length] ?? 0, question);
      expect(await ask(engines.clickhouse)).toEqual(await ask(engines.duckdb));
    },
  );
});
