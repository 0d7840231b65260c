/** Random sites: sessions with and without ids, at midnight, late, of several visitors, by bots. */
import fc from 'fast-check';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import type { Json } from '../../src/core/json/json.ts';
import { channelOf, sourceText } from '../../src/core/web/channel.ts';
import { sourceName } from '../../src/core/web/source-name.ts';
import { DEFAULT_WEB_SETTINGS } from '../../src/core/web/web-settings.ts';
import type { OverviewAnswer } from '../../src/features/web-analytics/measure/answer-overview.ts';
import type { TableKey, WebFilter, WebQuestion } from '../../src/features/web-analytics/rules/web-question.ts';
import { uuidOf } from '../contract/events.ts';
import type { SessionRules } from '../oracle/sessions.ts';
import type { WebAsk, WebRules } from '../oracle/web.ts';
import type { WorldData } from '../oracle/world.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 2, 10);
export const WEB_RANGE = { from: FROM, until: FROM + 2 * DAY };
export const WEB_TABLES = [
  'channel',
  'source',
  'page',
  'entry',
  'exit',
  'device',
  'browser',
  'os',
  'country',
  'utm_campaign',
] as const satisfies TableKey[];

const PERSONS = 4;
const some = (...values: Json[]): fc.Arbitrary<Json | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined });

/** Most events come in clusters of some minutes; some are exactly at a limit. */
const aTime = fc
  .tuple(
    // Within two days of the range: beyond, sessions found in events end.
    fc.integer({ min: -2, max: 2 }),
    fc.constantFrom(0, 9, 23.75),
    fc.integer({ min: 0, max: 80 }),
    fc.constantFrom(0, 0, 1, 999),
  )
  .map(([day, hour, minutes, ms]) => FROM + day * DAY + hour * 3_600_000 + minutes * 60_000 * 0.25 + ms);

const aView = fc.record({
  event: fc.constantFrom('$pageview', '$pageview', '$pageview', '$screen', '$autocapture', '$pageleave', 'liked'),
  person: fc.integer({ min: 0, max: PERSONS - 1 }),
  timestamp: aTime,
  properties: fc.record({
    $session_id: some('a', 'b', 'c', 'd', '', 'null', 'undefined', 7, ['x']),
    $pathname: some('/', '/a', '/b?', ''),
    $current_url: some(
      'https://example.com/c?utm_campaign=spring+sale',
      'https://example.com',
      'javascript:x',
      'https://example.com/?gclid=1',
    ),
    $screen_name: some('Home'),
    $host: some('example.com', 'localhost:3000', 'Example.com'),
    $referring_domain: some('www.google.com', '$direct', 't.co', 'example.com', 'www.Blog.example.org:80'),
    $referrer: some('https://duckduckgo.com/?q=1', 'android-app://com.google.android.gm/'),
    utm_source: some('fb', 'Spring Letter', 'null'),
    utm_medium: some('email', 'cpc'),
    utm_campaign: some('video', 'shopping', 'Summer'),
    gclid: some('x', '', null),
    fbclid: some('y'),
    $device_type: some('Mobile', 'Desktop', ''),
    $browser: some('Chrome', 'Firefox'),
    $os: some('iOS', 'Linux'),
    $geoip_country_code: some('DE', 'CH', null),
    $prev_pageview_pathname: some('/', '/a', '/c'),
    $prev_pageview_duration: some(12, 30.5, -1, 90_000, 'long'),
    $prev_pageview_max_content_percentage: some(0.5, 0.25, 1.5, -1),
    $is_bot: fc.constantFrom(undefined, undefined, undefined, undefined, true),
    $internal_visit: fc.constantFrom(undefined, undefined, undefined, undefined, true),
  }),
});

const aFilter = fc.oneof(
  fc.record({
    key: fc.constantFrom('channel', 'source', 'entry', 'exit', 'device', 'country', 'path'),
    operator: fc.constantFrom('exact', 'is_not', 'icontains', 'not_icontains', 'is_set', 'is_not_set'),
    values: fc.uniqueArray(
      fc.constantFrom('Direct', 'Organic Search', 'Google', '/', '/a', '/c', 'Mobile', 'DE', '(none)', 'e'),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
  }),
  fc.record({ key: fc.constant('new'), operator: fc.constant('exact'), values: fc.constantFrom(['true'], ['false']) }),
) as fc.Arbitrary<WebFilter>;

function withSessionId<View extends { properties: { $session_id: Json | undefined } }>(view: View, at: number): View {
  const isValid = typeof view.properties.$session_id === 'string' && view.properties.$session_id.length === 1;
  return isValid ? view : { ...view, properties: { ...view.properties, $session_id: `e${at % 7}` } };
}

const personId = (at: number): string => uuidOf(1000 + at);

export const aWebWorld = fc
  .record({
    views: fc.array(aView, { maxLength: 40, size: 'max' }),
    filters: fc.oneof(fc.constant([]), fc.array(aFilter, { maxLength: 2 })),
    includeBots: fc.boolean(),
    includeOwn: fc.boolean(),
    // Most sites send a session id with every view, and are counted in another way.
    hasIds: fc.boolean(),
  })
  .map(({ views: sent, filters, includeBots, includeOwn, hasIds }) => {
    const views = hasIds ? sent.map(withSessionId) : sent;
    const data: WorldData = {
      events: views.map(({ event, person, timestamp, properties }, at) => ({
        uuid: uuidOf(at + 1),
        event,
        distinctId: `d${person}`,
        personId: personId(person),
        timestamp,
        properties: Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Record<
          string,
          Json
        >,
        groups: [],
      })),
      persons: Array.from({ length: PERSONS }, (_, at) => ({
        id: at + 1,
        uuid: personId(at),
        createdAt: 0,
        properties: {},
        distinctIds: [`d${at}`],
      })),
    };
    const ask: WebAsk = { range: WEB_RANGE, filters, includeBots, includeOwn, bounceSeconds: 10 };
    const question: WebQuestion = {
      range: WEB_RANGE,
      interval: 'day',
      timezone: 'UTC',
      filters,
      eventFilters: [],
      accountFilter: NO_FILTER,
      includeBots,
      includeOwn,
      settings: DEFAULT_WEB_SETTINGS,
    };
    return { data, ask, question };
  });

const said = (view: Record<string, string>): ((key: string) => string) => {
  const query = new URLSearchParams(/\?([^#]*)/.exec(view['$current_url'] ?? '')?.[1] ?? '');
  return (key) => view[key] || (query.get(key) ?? '');
};

function acquisition(view: Record<string, string>) {
  const of = said(view);
  const referrer = view['$referrer'] ?? '';
  const host = /^https?:\/\/([^/?#]*)/.exec(referrer)?.[1] ?? referrer;
  return {
    source: of('utm_source'),
    medium: of('utm_medium'),
    campaign: of('utm_campaign'),
    referrer: view['$referring_domain'] || host,
    host: view['$host'] ?? '',
    clickIds: { google: of('gclid') !== '', gadSource: '', microsoft: false, meta: of('fbclid') !== '' },
  };
}

export const WEB_RULES: WebRules = {
  channel: (view) => channelOf(acquisition(view)),
  source: (view) => sourceName(sourceText(acquisition(view))),
  campaign: (view) => acquisition(view).campaign,
};

export const SESSION_RULES: SessionRules = {
  channel: WEB_RULES.channel,
  referrer: (view) => acquisition(view).referrer,
  tag: (view, key) => said(view)(key),
};

/** An answer in the oracle's form. */
export const shownOverview = ({ now: { totals, series }, tables }: OverviewAnswer) => ({
  visitors: totals.viewers,
  views: totals.views,
  sessions: totals.sessions,
  bounces: totals.bounces,
  seconds: totals.seconds,
  newVisitors: totals.newVisitors,
  viewsByDay: series.views,
  sessionsByDay: series.sessions,
  tables: Object.fromEntries(
    tables.map(([key, { rows }]) => [
      key,
      rows.map(({ value, visitors, sessions, views }) => [value, visitors, sessions ?? views]),
    ]),
  ),
});
