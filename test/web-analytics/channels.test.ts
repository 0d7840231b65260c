/** Channels in the engine, from kept rows and from events, against the oracle's rows: random referrers, tags and click ids. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import type { Json } from '../../src/core/json/json.ts';
import { channelOf } from '../../src/core/web/channel.ts';
import { DEFAULT_WEB_SETTINGS, type WebSettings } from '../../src/core/web/web-settings.ts';
import type { WebQuestion } from '../../src/features/web-analytics/rules/web-question.ts';
import { webWorkerMethods } from '../../src/features/web-analytics/worker-methods.ts';
import { uuidOf } from '../contract/events.ts';
import {
  CHANNEL_CAMPAIGNS,
  CHANNEL_MEDIUMS,
  CHANNEL_REFERRERS,
  CHANNEL_SOURCES,
  type ChannelVisit,
  OWN_REFERRERS,
  plainChannel,
} from '../oracle/channels.ts';
import { type EngineDeps, type InsightStore, openInsightStore } from '../support/insight-store.ts';
import { WEB_RANGE } from '../support/web-worlds.ts';

const VISITS = Number(process.env['WEB_VISITS'] ?? 200);
const maybe = (...texts: string[]): fc.Arbitrary<string> => fc.oneof(fc.constant(''), fc.constantFrom(...texts));

const REFERRERS = [...Object.keys(CHANNEL_REFERRERS), ...OWN_REFERRERS];
const CLICK_IDS: ChannelVisit['clickIds'][] = [
  ...[{ gclid: 'a' }, { gad_source: '1' }, { gad_source: '5' }, { gbraid: 'b' }, { wbraid: 'c' }],
  ...[{ msclkid: 'd' }, { fbclid: 'e' }, { gclid: 'a', fbclid: 'e' }],
];

const acquisitionOf = ({ clickIds, ...visit }: ChannelVisit) => ({
  ...visit,
  host: 'example.com',
  clickIds: {
    google: Boolean(clickIds.gclid || clickIds.gbraid || clickIds.wbraid),
    gadSource: clickIds.gad_source ?? '',
    microsoft: Boolean(clickIds.msclkid),
    meta: Boolean(clickIds.fbclid),
  },
});

const aVisit = fc.record({
  source: maybe(...Object.keys(CHANNEL_SOURCES)),
  medium: maybe(...CHANNEL_MEDIUMS),
  campaign: maybe(...CHANNEL_CAMPAIGNS),
  referrer: maybe(...REFERRERS),
  clickIds: fc.oneof(fc.constant({}), fc.constantFrom(...CLICK_IDS)),
  // Tags and click ids are properties, or in the query of the address.
  isInQuery: fc.boolean(),
});

const someVisits = (count: number, seed: number): Visit[] => fc.sample(aVisit, { numRuns: count, seed });

const PARTNER_MEDIUMS = ['affiliate', 'link', 'referral', 'social', 'banner', 'audio', 'cpc', 'video'];

type Visit = ChannelVisit & { isInQuery: boolean };

function propertiesOf({ source, medium, campaign, referrer, clickIds, isInQuery }: Visit): Record<string, Json> {
  const tags = { utm_source: source, utm_medium: medium, utm_campaign: campaign, ...clickIds };
  const sent = Object.fromEntries(Object.entries(tags).filter(([, text]) => text !== ''));
  return {
    $host: 'example.com',
    $current_url: `https://example.com/${isInQuery ? `?${new URLSearchParams(sent)}` : ''}`,
    ...(referrer === '' ? {} : { $referring_domain: referrer }),
    ...(isInQuery ? {} : sent),
  };
}

const person = (at: number): string => uuidOf(1000 + at);

const worldOf = (visits: readonly Visit[]) => ({
  events: visits.map((visit, at) => ({
    uuid: uuidOf(at + 1),
    event: '$pageview',
    distinctId: `d${at}`,
    personId: person(at),
    timestamp: WEB_RANGE.from + at,
    properties: { $session_id: `s${at}`, ...propertiesOf(visit) },
    groups: [],
  })),
  persons: visits.map((_, at) => ({
    id: at + 1,
    uuid: person(at),
    createdAt: 0,
    properties: {},
    distinctIds: [`d${at}`],
  })),
});

function countBy(channels: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const channel of channels) counts[channel] = (counts[channel] ?? 0) + 1;
  return counts;
}

describe('channels', () => {
  it('are those of the oracle for every combination', () => {
    const different: unknown[] = [];
    const seen = new Set<string>();
    for (const source of ['', ...Object.keys(CHANNEL_SOURCES)])
      for (const medium of ['', ...CHANNEL_MEDIUMS])
        for (const campaign of ['', ...CHANNEL_CAMPAIGNS])
          for (const referrer of ['', ...REFERRERS])
            for (const clickIds of [{}, ...CLICK_IDS]) {
              const visit = { source, medium, campaign, referrer, clickIds };
              const [expected, found] = [plainChannel(visit), channelOf(acquisitionOf(visit))];
              seen.add(expected);
              if (found !== expected) different.push({ visit, expected, found });
            }
    expect(different).toEqual([]);
    expect(seen.size).toBe(20);
  });
});

describe('channels in DuckDB', () => {
  let store: InsightStore;
  beforeAll(async () => {
    store = await openInsightStore();
  });
  afterAll(() => store.close());

  async function sessionsByChannel(deps: EngineDeps, projectId: number, settings: WebSettings) {
    const { answerWeb } = webWorkerMethods(deps as Parameters<typeof webWorkerMethods>[0]);
    const web: WebQuestion = {
      range: WEB_RANGE,
      interval: 'day',
      timezone: 'UTC',
      filters: [],
      eventFilters: [],
      accountFilter: NO_FILTER,
      includeBots: false,
      includeOwn: false,
      settings,
    };
    const page = { limit: 100, offset: 0, search: '', order: 'value' } as const;
    const { rows } = await answerWeb('breakdown', projectId, { web, by: 'channel', page });
    return Object.fromEntries(rows.map(({ value, sessions }) => [value, sessions]));
  }

  const bothWays = (): EngineDeps[] => [
    store.deps,
    {
      ...store.deps,
      events: {
        query: store.deps.events.query.bind(store.deps.events),
        queryColumns: store.deps.events.queryColumns.bind(store.deps.events),
        prepareSessions: async () => false,
      },
    },
  ];

  it('are those of the rows', async () => {
    const visits = someVisits(VISITS, 11);
    const { projectId } = await store.put(worldOf(visits));
    const expected = countBy(visits.map(plainChannel));
    // Otherwise rows of the table were never tried.
    expect(Object.keys(expected).length).toBeGreaterThanOrEqual(16);
    for (const deps of bothWays()) {
      expect(await sessionsByChannel(deps, projectId, DEFAULT_WEB_SETTINGS)).toEqual(expected);
    }
  });

  it('of the project come first, the first one that fits', async () => {
    const settings: WebSettings = {
      ...DEFAULT_WEB_SETTINGS,
      channel_rules: [
        {
          channel: 'Partners',
          combiner: 'AND',
          items: [
            { key: 'utm_medium', op: 'exact', value: PARTNER_MEDIUMS },
            { key: 'referring_domain', op: 'icontains', value: ['google'] },
          ],
        },
        {
          channel: 'Letters',
          combiner: 'OR',
          items: [
            { key: 'utm_source', op: 'exact', value: ['Spring Letter'] },
            { key: 'utm_campaign', op: 'regex', value: ['^spring$'] },
          ],
        },
      ],
    };
    const ruled = (visit: Visit): string => {
      const isPartner = PARTNER_MEDIUMS.includes(visit.medium) && visit.referrer.includes('google');
      const isLetter = visit.source === 'Spring Letter' || visit.campaign === 'spring';
      return isPartner ? 'Partners' : isLetter ? 'Letters' : plainChannel(visit);
    };
    const visits = someVisits(VISITS, 3);
    const { projectId } = await store.put(worldOf(visits));
    const expected = countBy(visits.map(ruled));
    expect(expected).toMatchObject({ Partners: expect.any(Number), Letters: expect.any(Number) });
    for (const deps of bothWays()) expect(await sessionsByChannel(deps, projectId, settings)).toEqual(expected);
  });
});
