/** Which names of events and properties a question asks for, each once: so that people see what is used. */

import type { Breakdown } from '../../../core/actions/breakdown.ts';
import type { Entity } from '../../../core/actions/entity.ts';
import type { UsedName } from '../../../core/events/asked-name.ts';
import { type Filter, propertyFiltersIn } from '../../../core/filters/property-filter.ts';
import { SESSION_DURATION } from '../../../core/filters/session-duration.ts';
import type {
  CorrelationQuestion,
  FunnelQuestion,
  LifecycleQuestion,
  PathsQuestion,
  RetentionQuestion,
  Series,
  StickinessQuestion,
  TrendsQuestion,
} from './question.ts';

export type CountedQuestion =
  | TrendsQuestion
  | LifecycleQuestion
  | StickinessQuestion
  | RetentionQuestion
  | FunnelQuestion
  | PathsQuestion
  | CorrelationQuestion;

export function usedNames(question: CountedQuestion): UsedName[] {
  const { entities, filters, events = [], properties = [], breakdown = null } = partsOf(question);
  const all = [
    ...events.map(event),
    ...entities.flatMap(eventsOf),
    ...[...filters, ...entities.flatMap(filtersOf)].flatMap(namesIn),
    ...properties.map((name) => property('event', name)),
    ...breakdownNames(breakdown),
  ];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

interface QuestionParts {
  entities: readonly Entity[];
  filters: readonly Filter[];
  events?: readonly string[];
  /** Of events. */
  properties?: readonly string[];
  breakdown?: Breakdown | null;
}

function partsOf(question: CountedQuestion): QuestionParts {
  switch (question.kind) {
    case 'trends':
      return { ...seriesParts(question.series), filters: [question.filter], breakdown: question.breakdown };
    case 'stickiness':
      return { ...seriesParts(question.series), filters: [question.filter] };
    case 'lifecycle':
      return { entities: question.entity === null ? [] : [question.entity], filters: [question.filter] };
    case 'retention': {
      const { target, returning, filter, breakdown } = question;
      return { entities: [target, returning], filters: [filter], breakdown };
    }
    case 'funnel':
      return funnelParts(question);
    case 'correlation': {
      const { funnel, of, names } = question;
      return { ...funnelParts(funnel), ...(of === 'event_with_properties' ? { events: names } : {}) };
    }
    case 'paths':
      return pathsParts(question);
  }
}

const seriesParts = (series: readonly Series[]) => ({
  entities: series.map(({ entity }) => entity),
  properties: series.flatMap(({ math }) =>
    math.kind === 'property' && math.property !== SESSION_DURATION ? [math.property] : [],
  ),
});

const funnelParts = ({ steps, exclusions, filter, breakdown }: FunnelQuestion): QuestionParts => ({
  entities: [...steps, ...exclusions.map(({ entity }) => entity)],
  filters: [filter],
  breakdown,
});

function pathsParts({ eventTypes, customEvents, filter, funnel }: PathsQuestion): QuestionParts {
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

const namesIn = (filter: Filter): UsedName[] =>
  propertyFiltersIn(filter).flatMap(({ owner, key, groupIndex }) =>
    owner === 'session' || owner === 'element' ? [] : [property(owner, key, groupIndex)],
  );

function breakdownNames(breakdown: Breakdown | null): UsedName[] {
  if (breakdown?.kind !== 'property' || breakdown.owner === 'session') return [];
  const { owner, keys, groupIndex } = breakdown;
  return keys.map((key) => property(owner, key, groupIndex));
}

const event = (name: string): UsedName => ({ kind: 'event', groupTypeIndex: -1, name });

const property = (owner: 'event' | 'person' | 'group', name: string, index?: number | null): UsedName => ({
  kind: `${owner}_property`,
  groupTypeIndex: index ?? -1,
  name,
});
