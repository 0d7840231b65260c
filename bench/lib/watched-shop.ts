/** A shop with alerts on its insights: each watches an insight of its own, so that no two can share an answer. */
import { QUIET } from '../../src/core/alerts/judge.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time/units.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { readDefinition } from '../../src/features/alerts/rules/alert-definition.ts';
import { randomIds } from '../../src/lib/ids.ts';
import type { Project } from '../../src/stores/metadata/accounts.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { UNTIL } from './product-traffic.ts';

export type WatchInterval = 'every_minute' | 'hourly';
export const LENGTHS: Record<WatchInterval, number> = { every_minute: MINUTE_MS, hourly: HOUR_MS };

/** When the last slot of the traffic is checked. */
export const DUE = UNTIL + 2 * MINUTE_MS;

interface Watched {
  config: JsonObject;
  filters: JsonObject;
}

const EVENTS = ['$pageview', '$autocapture', 'searched', 'added to cart', 'purchased', 'signed up'];
const FILTERS: readonly JsonObject[] = [
  ...['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'].map((value) => ({ key: '$browser', value })),
  ...['Windows', 'Mac OS X', 'iOS', 'Linux'].map((value) => ({ key: '$os', value })),
];
const trends = (filters: JsonObject): Watched => ({
  config: { type: 'TrendsAlertConfig', series_index: 0 },
  filters: { insight: 'TRENDS', ...filters },
});
const event = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'events', order: 0, ...more });
const steps = [event('$pageview'), event('added to cart', { order: 1 }), event('purchased', { order: 2 })];

/** What teams watch: mostly numbers of events and users, some of them filtered or split, and a few funnels. */
const TRENDS: readonly ((name: string) => Watched)[] = [
  (name) => trends({ events: [event(name)] }),
  (name) => trends({ events: [event(name, { math: 'dau' })] }),
  (name) => trends({ events: [event(name)], breakdown: '$browser', breakdown_type: 'event' }),
  (name) => trends({ events: [event(name), event('$pageview', { order: 1 })], formula: 'A / B' }),
  () => trends({ events: [event('purchased', { math: 'sum', math_property: 'amount' })] }),
];
const KINDS: readonly ((name: string) => Watched)[] = [
  ...TRENDS,
  () => ({ config: { type: 'FunnelAlertConfig' }, filters: { insight: 'FUNNELS', events: steps } }),
  (name) => ({
    config: { type: 'LifecycleAlertConfig', status: 'new' },
    filters: { insight: 'LIFECYCLE', events: [event(name)] },
  }),
  (name) => ({
    config: { type: 'RetentionAlertConfig', period: 1 },
    filters: { insight: 'RETENTION', target_entity: event('$pageview'), returning_entity: event(name) },
  }),
];
/** The first alerts by the hour are one of each. */
export const WATCHED_KINDS = KINDS.length;

const PLAIN_CONDITIONS: readonly JsonObject[] = [
  { condition: { type: 'absolute_value' }, threshold: { configuration: { type: 'absolute', bounds: { lower: 1 } } } },
  {
    condition: { type: 'relative_decrease' },
    threshold: { configuration: { type: 'percentage', bounds: { upper: 0.9 } } },
  },
];
const CONDITIONS: readonly JsonObject[] = [
  ...PLAIN_CONDITIONS,
  { condition: { type: 'seasonal' }, threshold: { configuration: { type: 'deviation', k: 4, direction: 'both' } } },
];

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** By the minute, only trends can be watched, and no seasons. */
export async function watchShop(metadata: MetadataStore, count: number, interval: WatchInterval): Promise<Project> {
  const [kinds, conditions] = interval === 'hourly' ? [KINDS, CONDITIONS] : [TRENDS, PLAIN_CONDITIONS];
  const clock = { now: () => UNTIL };
  const project = await metadata.projects.create(newProject({ clock, ids: randomIds }, 'shop', 'Shop', 'phc_bench'));
  for (let n = 0; n < count; n++) {
    const { config, filters } = at(kinds, n)(at(EVENTS, n));
    // All kinds with all conditions, then again with the next filter.
    const filter = at(FILTERS, Math.floor(n / (kinds.length * conditions.length)));
    const insight = await metadata.insights.create({
      projectId: project.id,
      shortId: `shop${String(n).padStart(4, '0')}`,
      name: `Insight ${n}`,
      derivedName: null,
      description: '',
      filters: { ...filters, properties: [{ ...filter, type: 'event', operator: 'is_not' }] },
      query: null,
      order: null,
      saved: true,
      favorited: false,
      deleted: false,
      tags: [],
      createdAt: UNTIL,
      createdBy: null,
      updatedAt: UNTIL,
      lastModifiedAt: UNTIL,
      lastModifiedBy: null,
    });
    await metadata.alerts.create({
      id: randomIds.uuid(),
      projectId: project.id,
      insightId: insight.id,
      name: `Alert ${n}`,
      enabled: true,
      definition: readDefinition({ ...at(conditions, n), config, calculation_interval: interval }),
      subscribedUsers: [],
      targets: [],
      snoozedUntil: null,
      state: 'Not firing',
      progress: { judge: QUIET, errors: 0, lastValue: null },
      nextSlot: UNTIL - LENGTHS[interval],
      nextCheckAt: UNTIL + MINUTE_MS,
      lastCheckedAt: null,
      lastNotifiedAt: null,
      revision: 1,
      createdAt: UNTIL,
      createdBy: null,
      updatedAt: UNTIL,
    });
  }
  return project;
}
