/** Reads the body of a cohort: JSON, or a form with criteria as JSON text and persons as a file. */

import type { Static } from '@sinclair/typebox';
import { Failure, invalid } from '../../../core/errors.ts';
import { parseExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import type { CohortChanges } from '../cohorts.ts';
import { firstColumn } from '../rules/first-column.ts';
import type { CohortWriteSchema } from './cohort-schemas.ts';

type Body = Static<typeof CohortWriteSchema>;

/** Only what was sent is changed. */
export function readCohortChanges(body: Body): CohortChanges {
  const changes: CohortChanges = {};
  if (body.name !== undefined) changes.name = body.name ?? '';
  if (body.description !== undefined) changes.description = body.description ?? '';
  if (body.is_static !== undefined) changes.isStatic = body.is_static;
  if (body.deleted !== undefined) changes.deleted = body.deleted;
  const groups = fromText(body.groups, 'groups');
  if (groups !== undefined && groups !== null) changes.groups = readList(groups);
  const filters = fromText(body.filters, 'filters');
  if (filters !== undefined && filters !== null) {
    if (!isJsonObject(filters)) throw invalid('filters', "Filters must be a dictionary with a 'properties' key.");
    changes.filters = filters;
  }
  return changes;
}

function readList(groups: unknown): Json[] {
  if (Array.isArray(groups)) return groups;
  throw invalid('groups', 'groups has to be a list.');
}

/** In a form, empty means absent. */
function fromText(value: unknown, attr: string): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return undefined;
  try {
    return parseExact(value);
  } catch (cause) {
    throw new Failure('invalid', `${attr} is not valid JSON.`, { attr, cause });
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

export const namesPersons = (body: Body): boolean => isGiven(body.csv) || isGiven(body._create_static_person_ids);

/** The persons in the file or list, by UUID or distinct id. */
export async function* namedPersons(body: Body): AsyncGenerator<string> {
  const { csv } = body;
  if (csv instanceof Blob) yield* firstColumn(await csv.text());
  else if (typeof csv === 'string') yield* firstColumn(csv);
  else if (isGiven(csv)) throw invalid('csv', 'csv is a file: send it as multipart/form-data.');
  const listed = fromText(body._create_static_person_ids, '_create_static_person_ids') ?? [];
  const isList = Array.isArray(listed) && listed.every((one) => typeof one === 'string');
  if (!isList) throw invalid('_create_static_person_ids', 'Has to be a list of UUIDs or distinct ids of persons.');
  yield* listed;
}
