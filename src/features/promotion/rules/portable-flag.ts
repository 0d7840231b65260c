/** A flag in a form that means the same in every project: names instead of ids, and nothing about who changed it when. */
import type { BucketingIdentifier, EvaluationRuntime } from '../../../core/flag-options.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { withExplicitGroups } from '../../flags/rules/filters-shape.ts';
import { idsToNames, type NamesById } from './references.ts';

/** Fields have the names of the API: this is also what a flags file has. */
export type PortableFlag = {
  key: string;
  name: string;
  active: boolean;
  filters: JsonObject;
  tags: string[];
  ensure_experience_continuity: boolean;
  evaluation_runtime: EvaluationRuntime;
  bucketing_identifier: BucketingIdentifier;
  is_remote_configuration: boolean;
  rollback_conditions: Json;
};

interface StoredFlag {
  key: string;
  name: string;
  active: boolean;
  filters: JsonObject;
  tags: readonly string[];
  ensureExperienceContinuity: boolean;
  evaluationRuntime: EvaluationRuntime;
  bucketingIdentifier: BucketingIdentifier;
  isRemoteConfiguration: boolean;
  rollbackConditions: Json;
}

export const toPortableFlag = (flag: StoredFlag, names: NamesById): PortableFlag => ({
  key: flag.key,
  name: flag.name,
  active: flag.active,
  filters: normalizeFilters(idsToNames(withoutHoldout(flag.filters), names) as JsonObject),
  tags: [...flag.tags].sort(),
  ensure_experience_continuity: flag.ensureExperienceContinuity,
  evaluation_runtime: flag.evaluationRuntime,
  bucketing_identifier: flag.bucketingIdentifier,
  is_remote_configuration: flag.isRemoteConfiguration,
  rollback_conditions: flag.rollbackConditions,
});

/** A holdout belongs to the experiments of its project, so each project keeps its own. */
const HOLDOUT_FIELDS = ['holdout', 'holdout_groups'];

const withoutHoldout = (filters: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => !HOLDOUT_FIELDS.includes(name)));

export const holdoutOf = (filters: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => HOLDOUT_FIELDS.includes(name)));

/** Two ways to write the same are the same: nothing, null, and an empty list or object. */
export function normalizeFilters(filters: JsonObject): JsonObject {
  const { groups, payloads, payload_schema: schema, ...rest } = withExplicitGroups(filters);
  return {
    ...(sortKeys(withoutEmpty(rest)) as JsonObject),
    groups: Array.isArray(groups) ? groups.map((group) => sortKeys(withoutEmpty(group))) : [],
    ...(isJsonObject(payloads) && Object.keys(payloads).length > 0 ? { payloads: sortKeys(payloads) } : {}),
    // In a schema, {} and null say something.
    ...(isJsonObject(schema) ? { payload_schema: sortKeys(schema) } : {}),
  };
}

/** Values of conditions are kept as they are: an empty list is one that nothing is in. */
function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).map(([key, item]): [string, Json] => [
    key,
    key === 'value' ? item : withoutEmpty(item),
  ]);
  return Object.fromEntries(kept.filter(([key, item]) => key === 'value' || !isEmpty(item)));
}

const isEmpty = (value: Json): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, sortKeys(item)]));
}

export const FLAG_PARTS = ['conditions', 'variants', 'payloads', 'active', 'details'] as const;
export type FlagPart = (typeof FLAG_PARTS)[number];

/** Which part each field belongs to; the rest of `filters` are conditions. */
const FIELD_PARTS: Readonly<Record<string, FlagPart>> = {
  active: 'active',
  name: 'details',
  tags: 'details',
  rollback_conditions: 'details',
  evaluation_runtime: 'details',
  is_remote_configuration: 'details',
  ensure_experience_continuity: 'conditions',
  bucketing_identifier: 'conditions',
};
const FILTER_PARTS: Readonly<Record<string, FlagPart>> = {
  multivariate: 'variants',
  payloads: 'payloads',
  payload_schema: 'payloads',
};

/** A flag that is off, for nobody, and has nothing else: what a part that is not taken over stays in a new flag. */
const emptyFlag = (key: string): PortableFlag => ({
  key,
  name: '',
  active: false,
  filters: { groups: [] },
  tags: [],
  ensure_experience_continuity: false,
  evaluation_runtime: 'all',
  bucketing_identifier: 'distinct_id',
  is_remote_configuration: false,
  rollback_conditions: null,
});

/** `target` with these parts of `source`; a target of null is created. */
export function takeParts(source: PortableFlag, target: PortableFlag | null, parts: readonly FlagPart[]): PortableFlag {
  const base = target ?? emptyFlag(source.key);
  const taken = Object.entries(source).filter(([field]) => parts.includes(FIELD_PARTS[field] ?? 'conditions'));
  const { filters: _, ...fields } = Object.fromEntries(taken);
  return { ...base, ...fields, key: base.key, filters: takeFilters(source.filters, base.filters, parts) };
}

function takeFilters(source: JsonObject, target: JsonObject, parts: readonly FlagPart[]): JsonObject {
  const isTaken = ([name]: [string, Json]): boolean => parts.includes(FILTER_PARTS[name] ?? 'conditions');
  const kept = Object.entries(target).filter((entry) => !isTaken(entry));
  return normalizeFilters(Object.fromEntries([...kept, ...Object.entries(source).filter(isTaken)]));
}
