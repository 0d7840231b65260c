/** Every number of a site: the engine against the oracle, in random worlds. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOverview } from '../../src/features/web-analytics/measure/answer-overview.ts';
import { webNumbers } from '../oracle/web.ts';
import { World } from '../oracle/world.ts';
import { type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { tools } from '../support/oracle-answers.ts';
import { aWebWorld, shownOverview, WEB_RULES, WEB_TABLES } from '../support/web-worlds.ts';

describe('a site in DuckDB', () => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  it('has the numbers of the oracle', async () => {
    await fc.assert(
      fc.asyncProperty(aWebWorld, async ({ data: given, ask, question }) => {
        const merged = new Map(given.persons.slice(0, 2).map(({ uuid }) => [uuid, uuid.replace('-0000-', '-ffff-')]));
        const { projectId, data } = await store.put(given, merged);
        const answer = await answerOverview(store.deps, projectId, {
          web: question,
          previous: null,
          tables: WEB_TABLES,
          goals: [],
        });
        expect(shownOverview(answer)).toEqual(webNumbers(new World(data, tools), ask, WEB_RULES, WEB_TABLES));
      }),
      { numRuns: Number(process.env['WEB_WORLDS'] ?? 15), seed: 7 },
    );
  });
});
