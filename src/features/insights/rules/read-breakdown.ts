import type { Breakdown, BreakdownCohort, PropertyBreakdown } from '../../../core/actions/breakdown.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import { readText } from '../../../core/expressions/check-expression.ts';
import { breakdownByBotLabels } from '../../../core/filters/bot-filter.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';
import { SESSION_PROPERTY_LIST, sessionProperty } from '../../../core/web/session-properties.ts';
import {
  type QuestionFields,
  readBooleanField,
  readChoiceField,
  readIntegerField,
  readJsonField,
  readListField,
} from './fields.ts';
import type { QuestionContext } from './question.ts';

const TYPES = ['event', 'person', 'cohort', 'group', 'session', 'hogql'] as const;
type BreakdownType = (typeof TYPES)[number];

export const DEFAULT_BREAKDOWN_LIMIT = 25;
const MAX_BREAKDOWN_LIMIT = 1000;
const MAX_BINS = 100;

/** `breakdown` with `breakdown_type`, or the list `breakdowns` of `{property, type}`; null without a breakdown. */
export function readBreakdown(
  fields: QuestionFields,
  context: QuestionContext,
  usualLimit = DEFAULT_BREAKDOWN_LIMIT,
): Breakdown | null {
  const { keys, type } = readKeys(fields);
  if (keys.length === 0) return null;
  if (type === 'cohort') return { kind: 'cohort', cohorts: keys.map((key) => readCohort(key, context)) };
  if (type === 'session' && keys.some((key) => sessionProperty(String(key)) === undefined)) {
    throw invalid('breakdown', `Sessions have no such property. They have ${SESSION_PROPERTY_LIST}.`);
  }
  if (type === 'hogql') checkExpressions(keys);
  const labels = type === 'event' ? breakdownByBotLabels(keys.map(String)) : null;
  if (labels !== null) return readProperties(fields, [...new Set(labels)], 'hogql', usualLimit);
  const names = type === 'session' ? keys.map((key) => sessionProperty(String(key)) ?? key) : keys;
  return readProperties(fields, [...new Set(names.map(String))], type, usualLimit);
}

function checkExpressions(keys: readonly (string | number)[]): void {
  try {
    for (const key of keys) readText(String(key), 'events');
  } catch (error) {
    if (error instanceof Failure) throw invalid('breakdown', error.message);
    throw error;
  }
}

function readProperties(
  fields: QuestionFields,
  keys: string[],
  owner: PropertyBreakdown['owner'],
  usual: number,
): Breakdown {
  const groupIndex = readIntegerField(fields, 'breakdown_group_type_index', { min: 0, max: 4 }) ?? null;
  if (owner === 'group' && groupIndex === null) {
    throw invalid(
      'breakdown_group_type_index',
      'A breakdown by group needs the index of the group type, from 0 to 4.',
      'required',
    );
  }
  return {
    kind: 'property',
    owner,
    groupIndex: owner === 'group' ? groupIndex : null,
    keys,
    limit: readIntegerField(fields, 'breakdown_limit', { min: 1, max: MAX_BREAKDOWN_LIMIT }) ?? usual,
    offset: readIntegerField(fields, 'offset', { min: 0, max: 1e9 }) ?? 0,
    isUrl: readBooleanField(fields, 'breakdown_normalize_url'),
    bins: readIntegerField(fields, 'breakdown_histogram_bin_count', { min: 1, max: MAX_BINS }) ?? null,
  };
}

function readKeys(fields: QuestionFields): { keys: (string | number)[]; type: BreakdownType } {
  const listed = (readListField(fields, 'breakdowns') ?? []).map((item) =>
    isJsonObject(item) ? item : { property: item },
  );
  const given = readJsonField(fields, 'breakdown');
  const plain = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
  const keys = plain.length > 0 ? plain : listed.map((item) => item['property'] ?? null);
  const type =
    readChoiceField(fields, 'breakdown_type', TYPES) ?? readChoiceField(listed[0] ?? {}, 'type', TYPES) ?? 'event';
  return { keys: keys.map(readKey), type };
}

function readKey(key: Json): string | number {
  if (typeof key === 'string' || typeof key === 'number') return key;
  throw invalid('breakdown', 'A breakdown is the name of a property, the id of a cohort, or a list of them.');
}

function readCohort(key: string | number, context: QuestionContext): BreakdownCohort {
  if (key === 'all') return { id: 'all', name: 'all users' };
  const id = parseId(key);
  if (id === null) throw invalid('breakdown', 'A cohort is given by its id, or "all".');
  return { id, name: context.cohort?.(id)?.name ?? String(id) };
}
