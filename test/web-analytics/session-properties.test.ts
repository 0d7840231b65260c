/** Properties of sessions in filters, breakdowns and statistics: the engine against the oracle, in random sites. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { DAY_MS } from '../../src/core/time/units.ts';
import { answerFunnel } from '../../src/features/insights/funnel/answer-funnel.ts';
import { readFunnelQuestion } from '../../src/features/insights/funnel/rules/read-funnel.ts';
import { answerRetention, findRetentionPeople } from '../../src/features/insights/retention/answer-retention.ts';
import {
  readRetentionPeopleQuestion,
  readRetentionQuestion,
} from '../../src/features/insights/retention/rules/read-retention.ts';
import { answerTrends } from '../../src/features/insights/trends/answer-trends.ts';
import { readTrendsQuestion } from '../../src/features/insights/trends/rules/read-trends.ts';
import { answerFunnel as expectedFunnel } from '../oracle/funnel.ts';
import { answerRetention as expectedRetention, retentionPeople } from '../oracle/retention.ts';
import { answerTrends as expectedTrends } from '../oracle/trends.ts';
import { World } from '../oracle/world.ts';
import { type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { tools } from '../support/oracle-answers.ts';
import { aSessionFunnel, aSessionRetention, aSessionTrend, SITE_NOW } from '../support/session-questions.ts';
import { aWebWorld, WEB_RANGE } from '../support/web-worlds.ts';

const context = { now: SITE_NOW, timezone: 'UTC', cohort: () => undefined, action: () => undefined };
const isNear = (at: number): boolean => at >= WEB_RANGE.from - DAY_MS && at < WEB_RANGE.until + DAY_MS;
const RUNS = { numRuns: Number(process.env['WEB_WORLDS'] ?? 15), seed: 11 };

describe('properties of sessions', () => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  const always = (
    asked: fc.Arbitrary<JsonObject>,
    check: (id: number, world: World, fields: JsonObject) => Promise<void>,
  ) =>
    fc.assert(
      fc.asyncProperty(aWebWorld, asked, async ({ data: given }, fields) => {
        // Sessions are read within a day of the range.
        const events = given.events.filter(({ timestamp }) => isNear(timestamp));
        const { projectId, data } = await store.put({ ...given, events });
        await check(projectId, new World(data, tools), fields);
      }),
      RUNS,
    );

  it('give the trends of the oracle', () =>
    always(aSessionTrend, async (projectId, world, fields) => {
      const question = readTrendsQuestion(fields, context);
      expect(await answerTrends(store.deps, projectId, question)).toEqual(expectedTrends(question, world));
    }));

  it('give the funnels of the oracle', () =>
    always(aSessionFunnel, async (projectId, world, fields) => {
      const question = readFunnelQuestion(fields, context);
      expect(await answerFunnel(store.deps, projectId, question)).toEqual(expectedFunnel(question, world));
    }));

  it('give the retention of the oracle, and the persons behind it', () =>
    always(aSessionRetention, async (projectId, world, fields) => {
      const question = readRetentionQuestion(fields, context);
      const rows = expectedRetention(question, world);
      expect(await answerRetention(store.deps, projectId, question)).toEqual(rows);
      for (const { breakdownValues } of rows.slice(0, 3)) {
        const people = readRetentionPeopleQuestion(
          { ...fields, breakdown_values: [...(breakdownValues ?? [])] },
          context,
        );
        const page = { limit: 1000, offset: 0 };
        expect(await findRetentionPeople(store.deps, projectId, people, page)).toEqual(retentionPeople(people, world));
      }
    }));
});
