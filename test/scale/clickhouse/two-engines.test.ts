/**
 * One question, two engines, one answer: every kind of question about random worlds, and the recorded cases. Where the
 * engine is emulated a statement takes seconds, so only some of them are asked; TWO_ENGINES=all asks them all, any other
 * word those whose names contain it, and TWO_ENGINES_WORLDS says how many worlds there are.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import type { QuestionContext } from '../../../src/features/insights/rules/question.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../support/clickhouse.ts';
import { describeWithClickHouse } from '../../support/describe-clickhouse.ts';
import { ASKS, askOf, rounded } from '../../support/engine-answers.ts';
import type { EngineDeps } from '../../support/insight-store.ts';
import { INSIGHT_CASES, type InsightCase, loadInsightCases } from '../../support/insight-vectors.ts';
import { aWorld, type RandomWorld } from '../../support/insight-worlds.ts';
import { contextOf, worldDataOf } from '../../support/oracle-answers.ts';
import { withCohorts } from '../../support/send-case.ts';
import { openTwoEngines, type TwoEngines } from '../../support/two-engines.ts';
import { describeVectors } from '../../support/vectors.ts';
import { QUESTIONS, WORLD_ACTION } from '../../support/world-questions.ts';

vi.setConfig(TIMEOUTS);
const wanted = process.env['TWO_ENGINES'];
const isWhole = wanted === 'all';
const seed = Number(process.env['TWO_ENGINES_SEED'] ?? 20);
const worldCount = Number(process.env['TWO_ENGINES_WORLDS'] ?? (isWhole ? 8 : 1));
/** Every so many of the recorded cases. */
const EACH = isWhole ? 1 : 24;

const FAMILIES = ['funnel', 'trends', 'paths', 'retention', 'stickiness', 'lifecycle', 'correlation', 'persons'];
const cases = loadInsightCases(FAMILIES).filter(({ endpoint }) => askOf(endpoint) !== undefined);
const isNamed = wanted !== undefined && !isWhole;
const asked = cases.filter(({ id }, at) => (isNamed ? id.includes(wanted) : at % EACH === 0));

await describeWithClickHouse('DuckDB and ClickHouse', (server) => {
  let database: TestDatabase;
  let engines: TwoEngines;
  const projects = new Map<object, { projectId: number; cohorts: ReadonlyMap<number, number> }>();
  const worlds: RandomWorld[] = fc.sample(aWorld, { numRuns: worldCount, seed });

  beforeAll(async () => {
    database = await makeDatabase(server);
    engines = await openTwoEngines(database.options);
    for (const one of asked) projects.set(one, await putCase(one));
    for (const world of worlds) {
      const merged = new Map(
        world.data.persons
          .slice(0, 2)
          .map(({ uuid }) => [uuid, uuid.replace(/^.{8}-0000/, (found) => `${found.slice(0, 8)}-ffff`)]),
      );
      const { projectId, data } = await engines.put(world.data, merged);
      const [cohort = 0] = data.cohorts?.keys() ?? [];
      projects.set(world, { projectId, cohorts: new Map([[1, cohort]]) });
    }
    await engines.ship();
  });
  afterAll(async () => {
    await engines?.close();
    await database?.drop();
  });

  async function putCase(one: InsightCase) {
    const given = worldDataOf(one);
    const { projectId, data } = await engines.put(given);
    const numbers = [...(data.cohorts?.keys() ?? [])];
    return { projectId, cohorts: new Map([...(given.cohorts?.keys() ?? [])].map((id, at) => [id, numbers[at] ?? 0])) };
  }

  /** The answer, or what the question is refused with. */
  async function answer(ask: (deps: EngineDeps) => Promise<unknown>, deps: EngineDeps): Promise<unknown> {
    try {
      return rounded(await ask(deps));
    } catch (error) {
      if (error instanceof Failure) return `${error.kind}: ${error.message}`;
      throw error;
    }
  }

  async function expectSame(now: number, ask: (deps: EngineDeps) => Promise<unknown>): Promise<void> {
    const clock = { now: () => now };
    const expected = await answer(ask, { ...engines.duckdb, clock });
    expect(await answer(ask, { ...engines.clickhouse, clock })).toEqual(expected);
  }

  describe.each(worlds.map((world, at) => ({ world, at })))('say the same about world $at', ({ world }) => {
    it.each(QUESTIONS)('$path $why', async ({ path, fields }) => {
      const { projectId, cohorts } = projects.get(world) ?? { projectId: 0, cohorts: new Map<number, number>() };
      const cohort = cohorts.get(1) ?? 0;
      const context: QuestionContext = {
        now: world.now,
        timezone: world.timezone,
        cohort: (id) => (id === cohort ? { name: 'some' } : undefined),
        action: (id) => (id === WORLD_ACTION.id ? WORLD_ACTION : undefined),
      };
      const own = JSON.parse(JSON.stringify(fields).replaceAll('"$cohort"', String(cohort))) as JsonObject;
      await expectSame(world.now, async (deps) => ASKS[path]?.(deps, projectId, own, context));
    });
  });

  describeVectors('say the same about recorded cases', INSIGHT_CASES, () => {
    it.each(asked.map((one) => [one.id, one] as const))('%s', async (_, recorded) => {
      const { projectId, cohorts } = projects.get(recorded) ?? { projectId: 0, cohorts: new Map() };
      const one = withCohorts(recorded, { cohorts } as Parameters<typeof withCohorts>[1]);
      const context = { ...contextOf(recorded), cohort: () => ({ name: 'some' }) } as QuestionContext;
      const ask = async (deps: EngineDeps) => askOf(one.endpoint)?.(deps, projectId, one.filter, context);
      await expectSame(Date.parse(one.now), ask);
    });
  });
});
