import { invalid } from '../../../../core/errors.ts';
import { isJsonObject, type Json } from '../../../../core/json/json.ts';
import { readFunnelPeopleQuestion } from '../../funnel/rules/read-funnel-people.ts';
import {
  knownFields,
  type QuestionFields,
  readBooleanField,
  readChoiceField,
  readIntegerField,
  readListField,
  readObjectField,
  readTextField,
  readTextListField,
} from '../../rules/fields.ts';
import {
  PATH_EVENT_TYPES,
  type PathCleaning,
  type PathEventType,
  type PathsPeopleQuestion,
  type PathsQuestion,
  type QuestionContext,
} from '../../rules/question.ts';
import { DATE_FIELDS, dateContext, readRange } from '../../rules/read-dates.ts';
import { andFilters, readQuestionFilter, readSearchFilter } from '../../rules/read-filter.ts';

const PATH_FIELDS = [
  'insight',
  'properties',
  'filter_test_accounts',
  'include_event_types',
  'include_custom_events',
  'path_type',
  'exclude_events',
  'path_replacements',
  'local_path_cleaning_filters',
  'path_groupings',
  'start_point',
  'end_point',
  'step_limit',
  'edge_limit',
  'min_edge_weight',
  'max_edge_weight',
  'funnel_paths',
  'funnel_filter',
  ...DATE_FIELDS,
] as const;

const FUNNEL_PATHS = ['funnel_path_before_step', 'funnel_path_between_steps', 'funnel_path_after_step'] as const;
const DEFAULT_STEP_LIMIT = 5;
const MAX_STEP_LIMIT = 100;
const DEFAULT_EDGE_LIMIT = 50;
const MAX_EDGE_LIMIT = 10_000;
const ANY_WEIGHT = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function readPathsQuestion(fields: QuestionFields, context: QuestionContext): PathsQuestion {
  const [start, end] = [readPoint(fields, 'start_point'), readPoint(fields, 'end_point')];
  const limit = readIntegerField(fields, 'edge_limit', { min: 1, max: MAX_EDGE_LIMIT });
  const cleanings = readCleanings(fields, context);
  return {
    kind: 'paths',
    fields: knownFields(fields, PATH_FIELDS),
    timezone: dateContext(context).timezone,
    filter: readQuestionFilter(fields, context),
    range: readRange({ ...fields, interval: 'day' }, context),
    ...readEvents(fields),
    excluded: readTextListField(fields, 'exclude_events') ?? [],
    cleanings,
    groupings: cleanings.length > 0 ? [] : (readTextListField(fields, 'path_groupings') ?? []),
    start,
    end,
    stepLimit: readIntegerField(fields, 'step_limit', { min: 2, max: MAX_STEP_LIMIT }) ?? DEFAULT_STEP_LIMIT,
    edgeLimit: limit ?? (start !== null && end !== null ? null : DEFAULT_EDGE_LIMIT),
    minWeight: readIntegerField(fields, 'min_edge_weight', ANY_WEIGHT) ?? null,
    maxWeight: readIntegerField(fields, 'max_edge_weight', ANY_WEIGHT) ?? null,
    funnel: readFunnelPath(fields, context),
  };
}

function readEvents(fields: QuestionFields): { eventTypes: PathEventType[]; customEvents: string[] } {
  const legacy = readTextField(fields, 'path_type');
  const attr = legacy === undefined ? 'include_event_types' : 'path_type';
  const types = legacy === undefined ? (readTextListField(fields, attr) ?? []) : [legacy];
  const eventTypes = types.map((type) => {
    const known = PATH_EVENT_TYPES.find((one) => one === type);
    if (known === undefined) throw invalid(attr, `${attr}: choose from ${PATH_EVENT_TYPES.join(', ')}.`);
    return known;
  });
  const customEvents = readTextListField(fields, 'include_custom_events') ?? [];
  if (customEvents.length > 0 && eventTypes.includes('custom_event')) {
    throw invalid(
      'include_custom_events',
      'Cannot include all custom events and specific custom events in the same query.',
    );
  }
  return { eventTypes, customEvents };
}

/** The project's cleaning rules, with `path_replacements`, and then those of the question. */
function readCleanings(fields: QuestionFields, context: QuestionContext): PathCleaning[] {
  const own = readBooleanField(fields, 'path_replacements') ? (context.pathCleanings ?? []) : [];
  return [...own, ...(readListField(fields, 'local_path_cleaning_filters') ?? []).map(readCleaning)];
}

function readCleaning(item: Json): PathCleaning {
  const { regex, alias } = isJsonObject(item) ? item : {};
  if (typeof regex === 'string' && typeof alias === 'string') return { pattern: regex, alias };
  throw invalid('local_path_cleaning_filters', 'A cleaning rule is {regex, alias}, both of them text.');
}

const readPoint = (fields: QuestionFields, name: string): string | null => {
  const point = readTextField(fields, name);
  return point === undefined ? null : withoutSlash(point);
};

/** Without one trailing slash, unless that is all there is. */
const withoutSlash = (item: string): string => (item.length > 1 && item.endsWith('/') ? item.slice(0, -1) : item);

function readFunnelPath(fields: QuestionFields, context: QuestionContext): PathsQuestion['funnel'] {
  const path = readChoiceField(fields, 'funnel_paths', FUNNEL_PATHS);
  if (path === undefined) return null;
  const filter = readObjectField(fields, 'funnel_filter');
  if (filter === undefined) throw invalid('funnel_filter', 'funnel_paths needs a funnel_filter.', 'required');
  const dates = Object.fromEntries(
    DATE_FIELDS.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
  const people = readFunnelPeopleQuestion({ ...dates, ...filter, funnel_viz_type: 'steps' }, context);
  if (path === 'funnel_path_between_steps' && stepOf(people) < 2) {
    throw invalid('funnel_filter', 'Paths between steps need the second step or a later one.');
  }
  return { path, people };
}

const stepOf = ({ selection }: { selection: { kind: string; step?: number } }): number => selection.step ?? 0;

export function readPathsPeopleQuestion(fields: QuestionFields, context: QuestionContext): PathsPeopleQuestion {
  const paths = readPathsQuestion(fields, context);
  return {
    kind: 'paths_people',
    paths: { ...paths, filter: andFilters([paths.filter, readSearchFilter(fields)]) },
    startKey: readTextField(fields, 'path_start_key') ?? null,
    endKey: readTextField(fields, 'path_end_key') ?? null,
    dropoffKey: readTextField(fields, 'path_dropoff_key') ?? null,
  };
}
