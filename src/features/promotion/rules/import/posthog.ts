/**
 * Flags of another PostHog or Cairn, as its API lists them (`results`) or as SDKs get them (`flags`), with `cohorts` and
 * `group_type_mapping`. Users are hashed in the same way, so only what conditions refer to by id needs a name.
 */
import { Failure } from '../../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import { validateFilters } from '../../../flags/rules/validate/validate-filters.ts';
import type { PortableCohort } from '../portable-cohort.ts';
import { normalizeFilters, type PortableFlag, sortKeys } from '../portable-flag.ts';
import { idsToNames, type NamesById, namesToIds } from '../references.ts';
import { type FlagReader, type ImportedFlag, NotImportable } from './decision-list.ts';
import { field, items, text } from './read-json.ts';

const listIn = (data: JsonObject, name: string): JsonObject[] => {
  const listed = items(data, name);
  return listed.length > 0 ? listed : items(field(data, name), 'results');
};

const flagsIn = (data: JsonObject): JsonObject[] =>
  (Array.isArray(data['results']) ? items(data, 'results') : listIn(data, 'flags')).filter(
    ({ deleted }) => deleted !== true,
  );

const idOf = ({ id }: JsonObject): number => parseId(id) ?? -1;

function namesIn(data: JsonObject): NamesById {
  const types = Object.entries(field(data, 'group_type_mapping'));
  return {
    flag: new Map(flagsIn(data).map((flag) => [idOf(flag), String(flag['key'])])),
    cohort: new Map(listIn(data, 'cohorts').map((cohort) => [idOf(cohort), String(cohort['name'])])),
    action: new Map(),
    group_type: new Map(types.map(([index, name]) => [Number(index), String(name)])),
  };
}

export function readPostHog(data: JsonObject): FlagReader[] {
  const names = namesIn(data);
  return flagsIn(data).map((flag) => ({
    key: String(flag['key'] ?? ''),
    read: (imported) => readFlag(flag, names, imported),
  }));
}

/** Those that flags may refer to; of static ones only the name, so they have to be in the project. */
export function readPostHogCohorts(data: JsonObject): PortableCohort[] {
  const names = namesIn(data);
  const byName = new Map(
    listIn(data, 'cohorts').map((cohort): [string, PortableCohort] => {
      const isStatic = cohort['is_static'] === true;
      const filters = isStatic ? {} : (sortKeys(idsToNames(field(cohort, 'filters'), names)) as JsonObject);
      const description = typeof cohort['description'] === 'string' ? cohort['description'] : '';
      return [String(cohort['name']), { name: String(cohort['name']), description, filters, is_static: isStatic }];
    }),
  );
  return [...byName.values()];
}

function readFlag(flag: JsonObject, names: NamesById, imported: (key: string) => ImportedFlag): ImportedFlag {
  const filters = idsToNames(field(flag, 'filters'), names) as JsonObject;
  const { holdout: _holdout, holdout_groups: _groups, ...portable } = filters;
  if (isJsonObject(_holdout) || (Array.isArray(_groups) && _groups.length > 0))
    throw new NotImportable('it has a holdout');
  requireValid(portable);
  for (const { kind, name } of namesToIds(portable, NO_IDS).references) {
    if (name.startsWith('#'))
      throw new NotImportable(`the ${kind.replace('_', ' ')} ${name.slice(1)} is not in the data`);
    if (kind === 'flag') imported(name);
  }
  return { flag: toPortable(flag, portable), nameOf: String, values: [] };
}

const NO_IDS = { flag: new Map(), cohort: new Map(), action: new Map(), group_type: new Map() };

/** References by name are checked when the flag is written. */
function requireValid(filters: JsonObject): void {
  const isReference = ({ type }: JsonObject): boolean => type === 'cohort' || type === 'flag';
  const groups = items(filters, 'groups').map((group) => ({
    ...group,
    properties: items(group, 'properties').filter((property) => !isReference(property) && !('group_type' in property)),
  }));
  try {
    validateFilters({ ...filters, groups, super_groups: [] });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new NotImportable(error.message);
  }
}

function toPortable(flag: JsonObject, filters: JsonObject): PortableFlag {
  const { name, active, tags, evaluation_runtime: runtime, bucketing_identifier: by } = flag;
  const texts = (Array.isArray(tags) ? tags : []).filter((tag): tag is string => typeof tag === 'string');
  return {
    key: text(flag, 'key'),
    name: typeof name === 'string' ? name : '',
    active: active !== false,
    filters: normalizeFilters(filters),
    tags: [...new Set(texts)].sort(),
    ensure_experience_continuity: flag['ensure_experience_continuity'] === true,
    evaluation_runtime: runtime === 'client' || runtime === 'server' ? runtime : 'all',
    bucketing_identifier: by === 'device_id' ? 'device_id' : 'distinct_id',
    is_remote_configuration: flag['is_remote_configuration'] === true,
    rollback_conditions: null satisfies Json,
  };
}
