import type { Entity } from '../../../core/actions/entity.ts';
import { includesEntity } from '../../insights/rules/read-entity.ts';
import type { Measure, MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';

/** What several metrics read together. */
export interface MetricPlan {
  readonly metrics: readonly MetricQuestion[];
  /** Different ones only: each has a bit. */
  readonly entities: readonly Entity[];
  /** What is read from the events besides their time, and of which entities. */
  readonly numbers: ReadonlyMap<string, NumberSource>;
  /** The bit of the event that those who met a variant count from; 0: they count at once. */
  readonly activation: number;
  /** Whether it reads every event, whatever it is. */
  readonly readsAll: boolean;
  /** Whether the order of events at the same time matters. */
  readonly needsTieOrder: boolean;
}

/** A number of each event, or one that stands for a session, person or group. */
export interface NumberSource {
  readonly measure: NumberMeasure;
  readonly entities: readonly Entity[];
}

type NumberMeasure = Exclude<Measure, { kind: 'count' }>;

export const numberKey = (measure: NumberMeasure): string =>
  measure.kind === 'unique' ? `unique ${JSON.stringify(measure.of)}` : `property ${measure.property}`;

export function planMetrics(metrics: readonly MetricQuestion[], activation: Entity | null = null): MetricPlan {
  const entities = new Map(
    [...(activation === null ? [] : [activation]), ...metrics.flatMap(entitiesOf)].map((entity) => [
      entityIdentity(entity),
      entity,
    ]),
  );
  const numbers = new Map<string, NumberSource>();
  for (const { entity, measure } of metrics.flatMap(measuredIn)) {
    if (measure.kind === 'count') continue;
    const key = numberKey(measure);
    numbers.set(key, { measure, entities: [...(numbers.get(key)?.entities ?? []), entity] });
  }
  return {
    metrics,
    entities: [...entities.values()],
    numbers,
    activation: activation === null ? 0 : 1,
    readsAll: metrics.some(isStrict),
    needsTieOrder: metrics.some(isSorted),
  };
}

const isStrict = (metric: MetricQuestion): boolean => metric.kind === 'funnel' && metric.order === 'strict';

/** Whether somebody's events have to be read one after the other. */
export const isSorted = (metric: MetricQuestion): boolean =>
  isStrict(metric) ||
  (metric.kind === 'funnel' && metric.order === 'ordered' && needsAnotherEvent(metric.steps).includes(true));

/**
 * Metrics that can be read together: the bits of their entities and the time have to fit into one number, and only
 * strict funnels read every event.
 */
export function splitMetrics(metrics: readonly MetricQuestion[], activation: Entity | null = null): MetricQuestion[][] {
  const groups: MetricQuestion[][] = [];
  const fits = (own: readonly MetricQuestion[], metric: MetricQuestion): boolean =>
    own.every((other) => isStrict(other) === isStrict(metric)) &&
    planMetrics([...own, metric], activation).entities.length <= MAX_ENTITIES;
  for (const metric of metrics) {
    const group = groups.find((own) => fits(own, metric));
    if (group === undefined) groups.push([metric]);
    else group.push(metric);
  }
  return groups;
}

/** The other bits of an exact whole number hold the time, up to nine years in milliseconds. */
const MAX_ENTITIES = 15;

export const measuredIn = (metric: MetricQuestion): MeasuredEntity[] => {
  if (metric.kind === 'mean') return [metric.measured];
  return metric.kind === 'ratio' ? [metric.numerator, metric.denominator] : [];
};

export function entitiesOf(metric: MetricQuestion): Entity[] {
  if (metric.kind === 'funnel') return [...metric.steps];
  if (metric.kind === 'retention') return [metric.start, metric.completion];
  return measuredIn(metric).map(({ entity }) => entity);
}

/** The bit of an entity. */
export const bitOf = ({ entities }: MetricPlan, entity: Entity): number =>
  1 << entities.findIndex((one) => entityIdentity(one) === entityIdentity(entity));

/** What decides which events it is; names are only shown. */
export const entityIdentity = (entity: Entity): string =>
  JSON.stringify([entity.kind === 'event' ? entity.id : entity.steps, entity.filter]);

/** Step → whether it needs another event than the step before. */
export const needsAnotherEvent = (steps: readonly Entity[]): boolean[] =>
  steps.map((step, at) => {
    const before = steps[at - 1];
    return before !== undefined && includesEntity(step, before);
  });
