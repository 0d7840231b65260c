/** What bad input does to the numbers of a site: ten thousand campaigns, a storm of bots, absurd clocks and referrers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import type { Json } from '../../src/core/json/json.ts';
import { DEFAULT_WEB_SETTINGS } from '../../src/core/web/web-settings.ts';
import { answerOverview } from '../../src/features/web-analytics/measure/answer-overview.ts';
import type { TableKey, WebQuestion } from '../../src/features/web-analytics/rules/web-question.ts';
import { uuidOf } from '../contract/events.ts';
import type { WorldEvent } from '../oracle/world.ts';
import { type InsightStore, openInsightStore } from '../support/insight-store.ts';

const FROM = Date.UTC(2026, 2, 10);
const DAY = 86_400_000;

const question: WebQuestion = {
  range: { from: FROM, until: FROM + DAY },
  interval: 'day',
  timezone: 'UTC',
  filters: [],
  eventFilters: [],
  accountFilter: NO_FILTER,
  includeBots: false,
  includeOwn: false,
  settings: DEFAULT_WEB_SETTINGS,
};

let made = 0;
/** A view of a visitor and session of its own. */
const view = (properties: Record<string, Json>, timestamp = FROM + 1000): WorldEvent => {
  made++;
  return {
    uuid: uuidOf(made),
    event: '$pageview',
    distinctId: `d${made}`,
    personId: uuidOf(1_000_000 + made),
    timestamp,
    properties: { $session_id: `s${made}`, $pathname: '/', $host: 'example.com', ...properties },
    groups: [],
  };
};

describe('a site under bad input', () => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  const ask = async (events: WorldEvent[], tables: TableKey[], over: Partial<WebQuestion> = {}) => {
    const { projectId } = await store.put({ events, persons: [] });
    const asked = { web: { ...question, ...over }, previous: null, tables, goals: [] };
    const { now, tables: found, leftOut } = await answerOverview(store.deps, projectId, asked);
    return { totals: now.totals, leftOut, tables: new Map(found) };
  };

  it('answers ten rows of ten thousand campaigns, and knows how many there are', async () => {
    const events = Array.from({ length: 10_000 }, (_, at) => view({ utm_source: `tag ${at}`, utm_medium: 'email' }));
    const { totals, tables } = await ask(events, ['source', 'utm_source', 'channel']);
    expect(totals.sessions).toBe(10_000);
    expect([tables.get('source')?.rows.length, tables.get('source')?.total]).toEqual([10, 10_000]);
    expect(tables.get('utm_source')?.total).toBe(10_000);
    expect(tables.get('channel')?.rows).toMatchObject([{ value: 'Email', sessions: 10_000 }]);
  }, 60_000);

  it('counts a storm of bots apart', async () => {
    const bots = Array.from({ length: 5000 }, () => view({ $is_bot: true, $bot_name: 'Wget' }));
    const { totals, leftOut } = await ask([...bots, view({})], []);
    expect([totals.viewers, totals.views, totals.sessions]).toEqual([1, 1, 1]);
    expect(leftOut).toEqual({ bots: 5000, own: 0, hidden: 0 });
    const all = await ask([...bots, view({})], [], { includeBots: true });
    expect([all.totals.views, all.leftOut.bots]).toEqual([5001, 0]);
  }, 60_000);

  it('keeps events with absurd clocks out of other days, and a session to one day', async () => {
    const session = { $session_id: 'from 1970 to 9999' };
    const events = [
      view(session, 0),
      view(session),
      view(session, Date.UTC(9999, 0, 1)),
      view({}, Date.UTC(9998, 0, 1)),
      view({}, -DAY),
    ];
    const { totals } = await ask(events, []);
    expect([totals.views, totals.sessions]).toEqual([1, 0]);
    const of1970 = await ask(events, [], { range: { from: 0, until: DAY } });
    expect([of1970.totals.sessions, of1970.totals.seconds]).toEqual([1, 86_400]);
  });

  it('shows absurd referrers and tags as texts, cut', async () => {
    const events = [
      view({ $referring_domain: '<script>alert(1)</script>' }),
      view({ $referrer: 'https://'.repeat(100) }),
      view({ $referring_domain: { nested: ['x'] } }),
      view({ utm_source: '🦄'.repeat(5000) }),
      view({ $referrer: 'javascript:alert(1)' }),
    ];
    const { totals, tables } = await ask(events, ['source', 'channel', 'referrer']);
    const sources = tables.get('source')?.rows.map(({ value }) => value) ?? [];
    expect(totals.sessions).toBe(5);
    expect(sources).toHaveLength(5);
    expect(sources).toContain('🦄'.repeat(200));
    expect(sources.every((value) => [...value].length <= 200)).toBe(true);
    const sum = tables.get('channel')?.rows.reduce((total, { sessions }) => total + (sessions ?? 0), 0);
    expect(sum).toBe(5);
  });
});
