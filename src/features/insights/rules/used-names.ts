/** The names of events and properties that a question uses. */
import type { Breakdown } from '../../../core/actions/breakdown.ts';
import type { Entity } from '../../../core/actions/entity.ts';
import type { UsedName } from '../../../core/events/used-name.ts';
import { readText } from '../../../core/expressions/check-expression.ts';
import { partsOf, type TypedExpression } from '../../../core/expressions/typed-expression.ts';
import { expressionFiltersIn, type Filter, propertyFiltersIn } from '../../../core/filters/property-filter.ts';
import { isSessionStatistic } from '../../../core/web/session-properties.ts';
import type { FunnelQuestion, PathsQuestion, Series } from './question.ts';

export interface QuestionParts {
  entities: readonly Entity[];
  filters: readonly Filter[];
  events?: readonly string[];
  /** Of events. */
  properties?: readonly string[];
  breakdown?: Breakdown | null;
}

/** Each name once. */
export function namesIn({
  entities,
  filters,
  events = [],
  properties = [],
  breakdown = null,
}: QuestionParts): UsedName[] {
  const all = [
    ...events.map(event),
    ...entities.flatMap(eventsOf),
    ...[...filters, ...entities.flatMap(filtersOf)].flatMap(filteredNames),
    ...properties.map((name) => property('event', name)),
    ...breakdownNames(breakdown),
  ];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

export const seriesParts = (series: readonly Series[]) => ({
  entities: series.map(({ entity }) => entity),
  properties: series.flatMap(({ math }) =>
    math.kind === 'property' && !isSessionStatistic(math.property) ? [math.property] : [],
  ),
});

export const funnelParts = ({ steps, exclusions, filter, breakdown }: FunnelQuestion): QuestionParts => ({
  entities: [...steps, ...exclusions.map(({ entity }) => entity)],
  filters: [filter],
  breakdown,
});

export function pathsParts({ eventTypes, customEvents, filter, funnel }: PathsQuestion): QuestionParts {
  const own = funnel === null ? { entities: [], filters: [] } : funnelParts(funnel.people.funnel);
  const events = [...eventTypes.filter((type) => type !== 'custom_event'), ...customEvents];
  return { ...own, filters: [filter, ...own.filters], events };
}

const eventsOf = (entity: Entity): UsedName[] => {
  const names = entity.kind === 'event' ? [entity.id] : entity.steps.map((step) => step.event);
  return names.filter((name) => name !== null).map(event);
};

const filtersOf = (entity: Entity): Filter[] =>
  entity.kind === 'event' ? [entity.filter] : [entity.filter, ...entity.steps.map(({ filter }) => filter)];

const filteredNames = (filter: Filter): UsedName[] => [
  ...propertyFiltersIn(filter).flatMap(({ owner, key, groupIndex }) =>
    owner === 'session' || owner === 'element' ? [] : [property(owner, key, groupIndex)],
  ),
  ...expressionFiltersIn(filter).flatMap(({ condition }) => expressionNames(condition)),
];

const expressionNames = (expression: TypedExpression): UsedName[] =>
  partsOf(expression).flatMap((part) =>
    part.kind === 'property'
      ? [property(part.owner, part.path[0], part.owner === 'group' ? part.groupIndex : null)]
      : [],
  );

function breakdownNames(breakdown: Breakdown | null): UsedName[] {
  if (breakdown?.kind !== 'property' || breakdown.owner === 'session') return [];
  const { owner, keys, groupIndex } = breakdown;
  if (owner === 'hogql') return keys.flatMap((key) => expressionNames(readText(key, 'events')));
  return keys.map((key) => property(owner, key, groupIndex));
}

const event = (name: string): UsedName => ({ kind: 'event', groupTypeIndex: -1, name });

const property = (owner: 'event' | 'person' | 'group', name: string, index?: number | null): UsedName => ({
  kind: `${owner}_property`,
  groupTypeIndex: index ?? -1,
  name,
});
