/** An experiment in the made-up shop: everybody calls a flag once, and ten metrics are asked for. */
import { randomUUID } from 'node:crypto';
import type { Entity } from '../../src/core/actions/entity.ts';
import { hotProperties } from '../../src/core/events/hot-properties.ts';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import { DAY_MS, MINUTE_MS } from '../../src/core/time/units.ts';
import type {
  ExposureQuestion,
  MeasuredEntity,
  MetricQuestion,
} from '../../src/features/experiments/rules/experiment-question.ts';
import type { EventStore, StoredEvent } from '../../src/stores/events/event-store.ts';
import { FROM, PROJECT, UNTIL } from './product-traffic.ts';

export const START = FROM + 30 * DAY_MS;

const event = (id: string): Entity => ({ kind: 'event', id, name: id, customName: null, filter: NO_FILTER });
const count = (id: string): MeasuredEntity => ({ entity: event(id), measure: { kind: 'count' } });
const total: MeasuredEntity = { entity: event('purchased'), measure: { kind: 'sum', property: 'amount' } };

export const EXPOSURE: ExposureQuestion = {
  flagKey: 'checkout',
  event: null,
  variants: ['control', 'test'],
  range: { from: START, until: UNTIL },
  actor: { kind: 'person' },
  severalVariants: 'exclude',
  filter: NO_FILTER,
  timezone: 'UTC',
};

const shared = { windowMs: null, exposedBefore: null, lookbackMs: 14 * DAY_MS };
export const METRICS: readonly MetricQuestion[] = [
  { kind: 'mean', measured: count('$pageview'), ...shared },
  { kind: 'mean', measured: count('added to cart'), ...shared },
  { kind: 'mean', measured: total, ...shared },
  { kind: 'mean', measured: total, ...shared, windowMs: 7 * DAY_MS },
  { kind: 'funnel', order: 'ordered', steps: [event('purchased')], ...shared },
  { kind: 'funnel', order: 'ordered', steps: [event('added to cart'), event('purchased')], ...shared },
  {
    kind: 'funnel',
    order: 'ordered',
    steps: [event('$pageview'), event('added to cart'), event('purchased')],
    ...shared,
  },
  { kind: 'ratio', numerator: total, denominator: count('purchased'), ...shared },
  { kind: 'ratio', numerator: count('added to cart'), denominator: count('$pageview'), ...shared },
  {
    kind: 'retention',
    start: event('added to cart'),
    completion: event('$pageview'),
    unit: 'day',
    windowStart: 1,
    windowEnd: 7,
    startHandling: 'first_seen',
    spanMs: 9 * DAY_MS,
    ...shared,
  },
];

/** Everybody calls the flag once, some time in the first 30 days. */
export const exposureOf = (person: { uuid: string }, at: number): StoredEvent =>
  eventOf(person.uuid, {
    uuid: `00000000-0000-4000-9000-${String(at).padStart(12, '0')}`,
    event: '$feature_flag_called',
    timestamp: START + ((at * 7_919) % (30 * 24 * 60)) * 60_000,
    parsed: { $feature_flag: 'checkout', $feature_flag_response: at % 2 === 0 ? 'control' : 'test' },
  });

const eventOf = (
  personId: string,
  { parsed, ...event }: Pick<StoredEvent, 'uuid' | 'event' | 'timestamp' | 'parsed'>,
): StoredEvent => ({
  ...event,
  projectId: PROJECT,
  distinctId: personId,
  personId,
  createdAt: UNTIL,
  properties: JSON.stringify(parsed),
  parsed,
  hot: hotProperties(parsed),
  elementsChain: '',
  groups: [null, null, null, null, null],
});

const NEW_EVENTS = 1000;

/** Events of so many different persons in one minute, every tenth an exposure, every tenth a purchase. */
export async function addEvents(store: EventStore, round: number): Promise<void> {
  // Not from all events: what the engine then keeps of them would be counted as memory of the answer.
  const persons = await store.query(`select person_id from person_rows using sample ${NEW_EVENTS} rows`, []);
  const events = persons.map(({ person_id: person }, at): StoredEvent => {
    const [uuid, timestamp] = [randomUUID(), UNTIL + round * MINUTE_MS + at];
    const { event, parsed } = exposureOf({ uuid: String(person) }, at);
    if (at % 10 === 0) return eventOf(String(person), { uuid, timestamp, event, parsed });
    const isPurchase = at % 10 === 1;
    return eventOf(String(person), {
      uuid,
      timestamp,
      event: isPurchase ? 'purchased' : '$pageview',
      parsed: isPurchase ? { amount: 12.5 } : {},
    });
  });
  await store.write({ events, overrides: [], position: (await store.position()) + 1 });
}
