import type { Entity } from '../../../core/actions/entity.ts';
import { includesEntity } from '../../insights/rules/read-entity.ts';
import type { MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';

/** What several metrics read together. */
export interface MetricPlan {
  readonly metrics: readonly MetricQuestion[];
  /** Different ones only: each has a bit. */
  readonly entities: readonly Entity[];
  /** Property → the entities whose numbers are read from it. */
  readonly properties: ReadonlyMap<string, readonly Entity[]>;
  /** Whether the order of events at the same time matters. */
  readonly needsTieOrder: boolean;
}

export function planMetrics(metrics: readonly MetricQuestion[]): MetricPlan {
  const entities = new Map(metrics.flatMap(entitiesOf).map((entity) => [identityOf(entity), entity]));
  const properties = new Map<string, Entity[]>();
  for (const { entity, measure } of metrics.flatMap(measuredIn)) {
    if (measure.kind !== 'count')
      properties.set(measure.property, [...(properties.get(measure.property) ?? []), entity]);
  }
  return {
    metrics,
    entities: [...entities.values()],
    properties,
    needsTieOrder: metrics.some((metric) => metric.kind === 'funnel' && needsAnotherEvent(metric.steps).includes(true)),
  };
}

/** Metrics that can be read together: the bits of their entities and the time have to fit into one number. */
export function splitMetrics(metrics: readonly MetricQuestion[]): MetricQuestion[][] {
  const groups: MetricQuestion[][] = [];
  for (const metric of metrics) {
    const group = groups.find((own) => planMetrics([...own, metric]).entities.length <= MAX_ENTITIES);
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
  1 << entities.findIndex((one) => identityOf(one) === identityOf(entity));

/** What decides which events it is; names are only shown. */
const identityOf = (entity: Entity): string =>
  JSON.stringify([entity.kind === 'event' ? entity.id : entity.steps, entity.filter]);

/** Step → whether it needs another event than the step before. */
export const needsAnotherEvent = (steps: readonly Entity[]): boolean[] =>
  steps.map((step, at) => {
    const before = steps[at - 1];
    return before !== undefined && includesEntity(step, before);
  });
