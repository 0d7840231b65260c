/** The recorded cases of sessions and numbers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import { DEFAULT_WEB_SETTINGS } from '../../src/core/web/web-settings.ts';
import { answerOverview } from '../../src/features/web-analytics/measure/answer-overview.ts';
import type { WebRow } from '../../src/features/web-analytics/rules/web-answers.ts';
import type { TableKey, WebFilter } from '../../src/features/web-analytics/rules/web-question.ts';
import { webWorkerMethods } from '../../src/features/web-analytics/worker-methods.ts';
import { uuidOf } from '../contract/events.ts';
import { type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { describeVectors } from '../support/vectors.ts';

interface WorldCase {
  id: string;
  kind: string;
  about: string;
  persons?: Record<string, string>;
  tables?: string[];
  query: { from: string; to: string; include_bots?: boolean; filter?: Record<string, string>; goal?: string };
  events: { event: string; distinct_id: string; timestamp: string; properties: Record<string, string> }[];
  expect: Record<string, unknown> & { tables?: Record<string, [string, number, number][]> };
}

const TABLES: Readonly<Record<string, TableKey>> = { pages: 'page' };

describeVectors<{ cases: WorldCase[] }>('sessions by recorded cases', 'web-analytics.json', ({ cases }) => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  it.each(cases.filter(({ kind }) => kind === 'world'))('$id: $about', async (given) => {
    const { query, expect: expected } = given;
    const { projectId } = await store.put(worldOf(given));
    const tables = Object.keys(expected.tables ?? {});
    const filters = Object.entries(query.filter ?? {}).map(
      ([key, value]): WebFilter => ({ key: key as WebFilter['key'], operator: 'exact', values: [value] }),
    );
    const web = {
      range: { from: Date.parse(query.from), until: Date.parse(query.to) },
      interval: 'day',
      timezone: 'UTC',
      filters,
      eventFilters: [],
      accountFilter: NO_FILTER,
      includeBots: query.include_bots ?? false,
      includeOwn: false,
      settings: DEFAULT_WEB_SETTINGS,
    } as const;
    const readPages = async (): Promise<unknown> => {
      const { answerWeb } = webWorkerMethods(store.deps as Parameters<typeof webWorkerMethods>[0]);
      const page = { limit: 100, offset: 0, search: '', order: 'value' } as const;
      const { rows } = await answerWeb('breakdown', projectId, { web, by: 'page', page });
      return rows.map(({ value, engagement }) => [value, engagement?.timeOnPage, engagement?.scrollDepth]);
    };
    const answer = await answerOverview(store.deps, projectId, {
      web,
      previous: null,
      tables: tables.map((name) => TABLES[name] ?? (name as TableKey)),
      goals: query.goal === undefined ? [] : [goalOf(query.goal)],
    });
    const { totals } = answer.now;
    const per = (n: number): number | null => (totals.sessions === 0 ? null : n / totals.sessions);
    const [goal] = answer.goals;
    const found: Record<string, unknown> = {
      visitors: totals.viewers,
      views: totals.views,
      sessions: totals.sessions,
      bounce_rate: per(totals.bounces),
      average_duration: per(totals.seconds),
      views_per_session: per(totals.views),
      new_visitors: totals.newVisitors,
      returning_visitors: totals.viewers - totals.newVisitors,
      left_out: { bots: answer.leftOut.bots, own: answer.leftOut.own },
      goal: goal && {
        conversions: goal.conversions,
        converters: goal.converters,
        rate: totals.viewers === 0 ? null : goal.converters / totals.viewers,
      },
      tables: Object.fromEntries(answer.tables.map(([, { rows }], at) => [tables[at], rows.map(shown)])),
    };
    const { engagement, ...asked } = expected;
    if (engagement !== undefined) expect(await readPages()).toEqual(engagement);
    expect(Object.fromEntries(Object.keys(asked).map((key) => [key, found[key]]))).toEqual(asked);
  });
});

const shown = ({ value, visitors, sessions, views }: WebRow) => [value, visitors, sessions ?? views];

const goalOf = (name: string) => ({
  id: 'goal',
  name,
  goal: { kind: 'entity', entity: { kind: 'event', id: name, name, customName: null, filter: NO_FILTER } } as const,
});

function worldOf({ events, persons = {} }: WorldCase) {
  const names = [...new Set(events.map(({ distinct_id: id }) => persons[id] ?? id))];
  return {
    events: events.map(({ event, distinct_id: id, timestamp, properties }, at) => ({
      uuid: uuidOf(at + 1),
      event,
      distinctId: id,
      personId: uuidOf(1000 + names.indexOf(persons[id] ?? id)),
      timestamp: Date.parse(timestamp),
      properties,
      groups: [],
    })),
    persons: names.map((name, at) => ({
      id: at + 1,
      uuid: uuidOf(1000 + at),
      createdAt: 0,
      properties: {},
      distinctIds: [name],
    })),
  };
}
