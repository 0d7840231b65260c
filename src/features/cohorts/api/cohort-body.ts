/** Reads what is sent about a cohort: JSON, or a form whose criteria are JSON text and whose persons are a file. */
import type { Static } from '@sinclair/typebox';
import { Failure, invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import type { CohortChanges } from '../cohorts.ts';
import { firstColumn } from '../rules/first-column.ts';
import type { CohortWriteSchema } from './cohort-schemas.ts';

type Body = Static<typeof CohortWriteSchema>;

/** From the wire's names to ours; only what was sent is changed. */
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
  throw invalid('groups', 'groups is a list.');
}

/** Absent and empty are the same in a form. */
function fromText(value: unknown, attr: string): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return undefined;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new Failure('invalid', `${attr} is not valid JSON.`, { attr, cause });
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

export const namesPersons = (body: Body): boolean => isGiven(body.csv) || isGiven(body._create_static_person_ids);

/** The persons that were named, by whatever they are called: in a file, in a list, or not at all. */
export async function* namedPersons(body: Body): AsyncGenerator<string> {
  const { csv } = body;
  if (csv instanceof Blob) yield* firstColumn(await csv.text());
  else if (typeof csv === 'string') yield* firstColumn(csv);
  else if (isGiven(csv)) throw invalid('csv', 'csv is a file: send it as multipart/form-data.');
  const listed = fromText(body._create_static_person_ids, '_create_static_person_ids') ?? [];
  const isList = Array.isArray(listed) && listed.every((one) => typeof one === 'string');
  if (!isList) throw invalid('_create_static_person_ids', 'A list of UUIDs or distinct ids of persons.');
  yield* listed;
}
