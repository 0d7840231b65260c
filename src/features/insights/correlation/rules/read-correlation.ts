import { invalid } from '../../../../core/errors.ts';
import { FUNNEL_FIELDS, readFunnelQuestion } from '../../funnel/rules/read-funnel.ts';
import {
  fieldOf,
  knownFields,
  type QuestionFields,
  readChoiceField,
  readJsonField,
  readObjectField,
  readTextListField,
} from '../../rules/fields.ts';
import type {
  CorrelationKind,
  CorrelationPeopleQuestion,
  CorrelationQuestion,
  QuestionContext,
} from '../../rules/question.ts';
import { readEntity } from '../../rules/read-entity.ts';
import { andFilters, readFilter, readSearchFilter } from '../../rules/read-filter.ts';

const KINDS = ['events', 'properties', 'event_with_properties'] as const;

const CORRELATION_FIELDS = [
  ...FUNNEL_FIELDS,
  'funnel_correlation_type',
  'funnel_correlation_names',
  'funnel_correlation_exclude_names',
  'funnel_correlation_event_names',
  'funnel_correlation_event_exclude_property_names',
  'funnel_correlation_exclude_event_names',
] as const;

export function readCorrelationQuestion(fields: QuestionFields, context: QuestionContext): CorrelationQuestion {
  const of = readChoiceField(fields, 'funnel_correlation_type', KINDS) ?? 'events';
  return {
    kind: 'correlation',
    fields: knownFields(fields, CORRELATION_FIELDS),
    funnel: readEntranceFunnel(fields, context),
    of,
    names: readNames(fields, of),
    excludedEvents: readTextListField(fields, 'funnel_correlation_exclude_event_names') ?? [],
    excludedProperties: readTextListField(fields, EXCLUDED[of]) ?? [],
  };
}

const EXCLUDED: Record<CorrelationKind, string> = {
  events: 'funnel_correlation_exclude_names',
  properties: 'funnel_correlation_exclude_names',
  event_with_properties: 'funnel_correlation_event_exclude_property_names',
};

/** Only who entered and who converted matters, however the funnel is shown. */
const readEntranceFunnel = (fields: QuestionFields, context: QuestionContext) => ({
  ...readFunnelQuestion({ ...fields, funnel_viz_type: 'steps' }, context),
  breakdown: null,
});

function readNames(fields: QuestionFields, of: CorrelationKind): string[] {
  if (of === 'events') return [];
  const name = of === 'properties' ? 'funnel_correlation_names' : 'funnel_correlation_event_names';
  const names = readTextListField(fields, name) ?? [];
  if (names.length > 0) return names;
  const [what, wanted] = of === 'properties' ? ['Property', 'Property'] : ['Event Property', 'event name'];
  throw invalid(name, `${what} Correlation expects atleast one ${wanted} to run correlation on`);
}

export function readCorrelationPeopleQuestion(
  fields: QuestionFields,
  context: QuestionContext,
): CorrelationPeopleQuestion {
  const of = readChoiceField(fields, 'funnel_correlation_type', KINDS) ?? 'events';
  const { funnel, ...rest } = readCorrelationQuestion({ ...fields, ...NAMELESS }, context);
  const correlation = {
    ...rest,
    of,
    funnel: { ...funnel, filter: andFilters([funnel.filter, readSearchFilter(fields)]) },
  };
  const converted = fieldOf(fields, 'funnel_correlation_person_converted');
  return {
    kind: 'correlation_people',
    correlation,
    entity: of === 'properties' ? null : readPersonEntity(fields, context),
    properties: of === 'properties' ? readPropertyValues(fields) : null,
    converted: converted === undefined ? null : isTrue(converted),
  };
}

const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true');

/** Asks for one factor, so the names to compare are not needed. */
const NAMELESS = { funnel_correlation_type: 'events' };

function readPersonEntity(fields: QuestionFields, context: QuestionContext) {
  const given = readObjectField(fields, 'funnel_correlation_person_entity');
  if (given === undefined) throw invalid('funnel_correlation_person_entity', 'No entity for persons specified');
  return readEntity(given, 'funnel_correlation_person_entity', context);
}

function readPropertyValues(fields: QuestionFields) {
  const given = readJsonField(fields, 'funnel_correlation_property_values');
  if (given === undefined || (Array.isArray(given) && given.length === 0)) {
    throw invalid(
      'funnel_correlation_property_values',
      'Property Correlation expects atleast one Property to get persons for',
    );
  }
  return readFilter(given, 'funnel_correlation_property_values');
}
