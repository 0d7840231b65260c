/** Every number of a site: the engine against the oracle, in random worlds. */
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time/units.ts';
import { answerOverview } from '../../src/features/web-analytics/measure/answer-overview.ts';
import { countPeriods, openSite } from '../../src/features/web-analytics/measure/count-period.ts';
import { prepareWebQuery, type WebQuery } from '../../src/features/web-analytics/measure/web-scope.ts';
import type { WebQuestion } from '../../src/features/web-analytics/rules/web-question.ts';
import { type WebThreadMethods, webThreadMethods } from '../../src/features/web-analytics/thread-methods.ts';
import { webWorkerMethods } from '../../src/features/web-analytics/worker-methods.ts';
import { remote, serve } from '../../src/lib/rpc.ts';
import { webNumbers } from '../oracle/web.ts';
import { World } from '../oracle/world.ts';
import { type EngineDeps, type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { tools } from '../support/oracle-answers.ts';
import { aWebWorld, shownOverview, WEB_RULES, WEB_TABLES } from '../support/web-worlds.ts';

/** Finds sessions in events. */
const withoutRows = (deps: EngineDeps): EngineDeps => ({
  ...deps,
  events: {
    query: deps.events.query.bind(deps.events),
    queryColumns: deps.events.queryColumns.bind(deps.events),
    prepareSessions: async () => false,
  },
});

/** Tells when kept rows are counted. */
const withReads = (deps: EngineDeps, read: () => void): EngineDeps => ({
  ...deps,
  events: {
    query: deps.events.query.bind(deps.events),
    queryColumns: (...asked) => {
      read();
      return deps.events.queryColumns(...asked);
    },
    prepareSessions: deps.events.prepareSessions.bind(deps.events),
  },
});

const EVERY = 5;

describe('a site in DuckDB', () => {
  let store: InsightStore;
  const { port1, port2 } = new MessageChannel();
  serve(port1, webThreadMethods);
  const other = remote<WebThreadMethods>(port2);
  const ended = remote<WebThreadMethods>(port2);
  ended.disconnect(new Error('The second thread has ended.'));
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => {
    port1.close();
    return store.close();
  });

  it('has the numbers of the oracle', async () => {
    let [kept, turn] = [0, 0];
    await fc.assert(
      fc.asyncProperty(aWebWorld, async ({ data: given, ask, question }) => {
        const merged = new Map(given.persons.slice(0, 2).map(({ uuid }) => [uuid, uuid.replace('-0000-', '-ffff-')]));
        const { projectId, data } = await store.put(given, merged);
        const asked = { web: question, previous: null, tables: WEB_TABLES, goals: [] };
        const numbers = webNumbers(new World(data, tools), ask, WEB_RULES, WEB_TABLES);
        const counting = withReads(store.deps, () => kept++);
        // As a site with far too many views would be counted: some visitors after the others, on another thread.
        const inSlices = { ...store.deps, maxCells: 10, secondThread: () => other.methods };
        // As if that thread had ended.
        const alone = { ...store.deps, secondThread: () => ended.methods };
        for (const deps of [counting, inSlices, alone, withoutRows(store.deps)]) {
          const { pages, ...overview } = numbers;
          const answer = await answerOverview(deps, projectId, asked);
          expect(shownOverview(answer)).toEqual(overview);
          const { answerWeb } = webWorkerMethods(deps as Parameters<typeof webWorkerMethods>[0]);
          // One table alone has the same rows; every time others are asked for.
          turn++;
          const first = { limit: 10, offset: 0, search: '', order: '-visitors' } as const;
          for (const [by, shown] of answer.tables.filter((_, at) => (at + turn) % EVERY === 0)) {
            const { rows, total } = await answerWeb('breakdown', projectId, { web: question, by, page: first });
            expect({ rows: rows.map(({ engagement: _, ...row }) => row), total }).toEqual(shown);
          }
          if (question.filters.length > 0) continue;
          const all = { limit: 100, offset: 0, search: '', order: 'value' } as const;
          const table = await answerWeb('breakdown', projectId, { web: question, by: 'page', page: all });
          expect(Object.fromEntries(table.rows.map((row) => [row.value, row.engagement]))).toEqual(pages);
        }
      }),
      { numRuns: Number(process.env['WEB_WORLDS'] ?? 15), seed: 7 },
    );
    // Otherwise one of the two ways to count was never tried.
    expect(kept).toBeGreaterThan(0);
  });

  it('has the same numbers over years, which have more units of time than an integer', async () => {
    let kept = 0;
    for (const { data, question } of fc.sample(aWebWorld, { numRuns: 5, seed: 4 })) {
      const { projectId } = await store.put(data);
      const { from, until } = question.range;
      const web: WebQuestion = { ...question, range: { from: from - 3000 * DAY_MS, until }, interval: 'month' };
      const asked = { web, previous: null, tables: WEB_TABLES, goals: [] };
      const counting = withReads(store.deps, () => kept++);
      const found = await answerOverview(counting, projectId, asked);
      expect(found.now.series.views.length).toBeGreaterThan(90);
      expect(shownOverview(found)).toEqual(
        shownOverview(await answerOverview(withoutRows(store.deps), projectId, asked)),
      );
    }
    expect(kept).toBeGreaterThan(0);
  });

  it('has the same numbers if visitors and texts came while it was read, more than it has numbers for', async () => {
    let kept = 0;
    for (const { data, question } of fc.sample(aWebWorld, { numRuns: 5, seed: 3 })) {
      const { projectId } = await store.put(data);
      const query = await prepareWebQuery(store.deps, projectId, question);
      const page = { limit: 100, offset: 0, search: '', order: 'value' } as const;
      const asked = { ranges: [question.range], tables: WEB_TABLES, page };
      const site = await openSite(query, asked.ranges, asked.tables);
      if (site === null) continue;
      kept++;
      const visitors = async () => ({ current: Int32Array.of(0), firstViews: Float64Array.of(0) });
      const narrow = { ...site, visitorLimit: 1, codeLimit: 2, visitors };
      expect(await countPeriods(query, narrow, asked)).toEqual(await countPeriods(query, site, asked));
      // Their numbers may be so large that the engine refuses to pack them.
      const refused = new Error('Overflow in multiplication of INT32');
      let failures = 1;
      const failing: WebQuery = {
        ...query,
        queryColumns: (...given) => (failures-- > 0 ? Promise.reject(refused) : query.queryColumns(...given)),
      };
      expect(await countPeriods(failing, narrow, asked)).toEqual(await countPeriods(query, site, asked));
      failures = 1;
      await expect(countPeriods(failing, site, asked)).rejects.toThrow(refused);
    }
    expect(kept).toBeGreaterThan(0);
  });
});
