/** Random experiments in random worlds: some events become calls of a flag. */
import fc from 'fast-check';
import type { Entity } from '../../src/core/actions/entity.ts';
import type { Actor } from '../../src/core/actor.ts';
import { NO_FILTER } from '../../src/core/filters/property-filter.ts';
import type {
  ExposureQuestion,
  ExposureSplit,
  MeasuredEntity,
  MetricQuestion,
} from '../../src/features/experiments/rules/experiment-question.ts';
import type { WorldData, WorldEvent } from '../oracle/world.ts';
import { aWorld, type RandomWorld } from './insight-worlds.ts';

const FLAG = 'checkout';
const HOUR = 3_600_000;

export interface ExperimentWorld {
  data: WorldData;
  exposure: ExposureQuestion;
  metrics: MetricQuestion[];
  split: ExposureSplit | null;
}

const entity = (id: string, plan?: string): Entity => ({
  kind: 'event',
  id,
  name: id,
  customName: null,
  filter:
    plan === undefined
      ? NO_FILTER
      : { kind: 'property', owner: 'event', key: 'plan', operator: 'exact', values: [plan] },
});

const count = (id: string): MeasuredEntity => ({ entity: entity(id), measure: { kind: 'count' } });
const amount = (kind: 'sum' | 'avg' | 'min' | 'max'): MeasuredEntity => ({
  entity: entity('pay'),
  measure: { kind, property: 'amount' },
});

const different = (of: 'session' | Actor): MeasuredEntity => ({
  entity: entity('visit'),
  measure: { kind: 'unique', of },
});

const retention = (
  startHandling: 'first_seen' | 'last_seen',
  shared: Pick<MetricQuestion, 'windowMs' | 'lookbackMs' | 'exposedBefore'>,
): MetricQuestion => ({
  kind: 'retention',
  start: entity('visit'),
  completion: entity(startHandling === 'first_seen' ? 'visit' : 'pay'),
  unit: 'day',
  windowStart: startHandling === 'first_seen' ? 1 : 0,
  windowEnd: 3,
  startHandling,
  spanMs: 4 * 24 * HOUR + HOUR,
  ...shared,
});

/** Every kind of metric, with and without a window and a past. */
const metricsOf = (
  windowMs: number | null,
  lookbackMs: number | null,
  exposedBefore: number | null,
): MetricQuestion[] => {
  const shared = { windowMs, lookbackMs, exposedBefore };
  return [
    { kind: 'mean', measured: count('visit'), ...shared },
    { kind: 'mean', measured: amount('sum'), ...shared },
    { kind: 'mean', measured: amount('sum'), ...shared, winsor: { lower: null, upper: 0.7, ignoreZeros: true } },
    { kind: 'mean', measured: count('visit'), ...shared, winsor: { lower: 0.2, upper: 0.8, ignoreZeros: false } },
    { kind: 'mean', measured: amount('avg'), ...shared },
    { kind: 'mean', measured: amount('min'), ...shared },
    { kind: 'mean', measured: amount('max'), ...shared },
    { kind: 'ratio', numerator: amount('sum'), denominator: count('pay'), ...shared },
    { kind: 'funnel', order: 'ordered', steps: [entity('pay')], ...shared },
    { kind: 'funnel', order: 'ordered', steps: [entity('visit'), entity('visit'), entity('pay')], ...shared },
    { kind: 'funnel', order: 'ordered', steps: [entity('visit', 'pro'), entity('sign up')], ...shared },
    { kind: 'funnel', order: 'ordered', steps: [entity('visit'), entity('pay'), entity('visit')], ...shared },
    { kind: 'funnel', order: 'strict', steps: [entity('visit'), entity('pay')], ...shared },
    { kind: 'funnel', order: 'strict', steps: [entity('visit'), entity('visit')], ...shared },
    { kind: 'funnel', order: 'unordered', steps: [entity('pay'), entity('visit'), entity('pay')], ...shared },
    { kind: 'mean', measured: count('visit'), threshold: 2, ...shared },
    { kind: 'mean', measured: amount('sum'), threshold: 9.5, ...shared },
    { kind: 'mean', measured: different('session'), ...shared },
    { kind: 'mean', measured: different({ kind: 'person' }), ...shared },
    { kind: 'ratio', numerator: count('visit'), denominator: different({ kind: 'group', index: 0 }), ...shared },
    retention('first_seen', shared),
    retention('last_seen', shared),
  ];
};

/** Visits of some become calls of the flag; the sixth answer is no variant. */
const RESPONSES = ['control', 'test', 'control', 'test', 'other', true] as const;

function withCalls({ data }: RandomWorld, isCall: readonly number[]): WorldData {
  const events = data.events.map((event, at): WorldEvent => {
    const response = RESPONSES[isCall[at] ?? 99];
    if (response === undefined) return event;
    const properties = {
      ...event.properties,
      $feature_flag: FLAG,
      $feature_flag_response: response,
      [`$feature/${FLAG}`]: response,
    };
    return { ...event, event: event.event === 'visit' ? 'visit' : '$feature_flag_called', properties };
  });
  return { ...data, events };
}

export const anExperimentWorld: fc.Arbitrary<ExperimentWorld> = fc
  .record({
    world: aWorld,
    isCall: fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 40, maxLength: 40 }),
    days: fc.tuple(fc.nat(4), fc.nat(3)),
    severalVariants: fc.constantFrom('exclude' as const, 'first_seen' as const),
    isGroup: fc.boolean(),
    isCustom: fc.boolean(),
    activatedBy: fc.constantFrom(null, 'pay', 'visit'),
    filtersPersons: fc.boolean(),
    windowMs: fc.constantFrom(null, HOUR, 48 * HOUR),
    lookbackMs: fc.constantFrom(null, 72 * HOUR),
    isMatured: fc.boolean(),
    isSplit: fc.boolean(),
    hasPhases: fc.boolean(),
  })
  .map(
    ({
      world,
      isCall,
      days: [from, until],
      severalVariants,
      isGroup,
      isCustom,
      activatedBy,
      filtersPersons,
      isSplit,
      hasPhases,
      ...metric
    }) => {
      const start = world.now - 12 * 24 * HOUR;
      const range = { from: start + from * 24 * HOUR, until: world.now - until * 24 * HOUR };
      const exposure: ExposureQuestion = {
        flagKey: FLAG,
        event: isCustom ? entity('visit') : null,
        activation: activatedBy === null ? null : entity(activatedBy),
        variants: ['control', 'test'],
        range,
        actor: isGroup ? { kind: 'group', index: 0 } : { kind: 'person' },
        severalVariants,
        filter: filtersPersons
          ? { kind: 'property', owner: 'person', key: 'email', operator: 'not_icontains', values: ['p1@'] }
          : NO_FILTER,
        timezone: world.timezone,
        ...(hasPhases ? { phaseStarts: [range.from, range.from + 50 * HOUR, range.from + 51 * HOUR] } : {}),
      };
      const exposedBefore = metric.isMatured ? range.until - (metric.windowMs ?? 0) : null;
      return {
        data: withCalls(world, isCall),
        exposure,
        metrics: metricsOf(metric.windowMs, metric.lookbackMs, exposedBefore),
        split: isSplit ? { property: 'plan', values: ['pro', ''] } : null,
      };
    },
  );
