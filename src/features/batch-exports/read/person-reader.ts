/**
 * The persons that changed since the run before, all of them at first, as they are now. Changes are numbered by the
 * store, so none is missed, whoever made it. Persons that are gone, merged or deleted, are rows without properties.
 */
import type { Json } from '../../../core/json/json.ts';
import { MIRROR_START, type MirrorBatch, type MirrorPosition } from '../../../stores/events/person-mirror.ts';
import { listDistinctIds } from '../../persons/persons.ts';
import type { ModelReader, ReaderDeps, ReadRun, SliceLimits } from './model-reader.ts';

const BATCH_PERSONS = 200;
/** Bound as one value: beyond that a file is made of several statements' worth, so it is a file of its own. */
const MAX_STATEMENT_BYTES = 8 * 1024 * 1024;

interface PersonRow extends Record<(typeof COLUMNS)[number], string> {}

const COLUMNS = ['person_id', 'distinct_ids', 'created_at', 'is_identified', 'is_deleted', 'properties'] as const;

export async function personReader(deps: ReaderDeps, { project, run }: ReadRun): Promise<ModelReader> {
  const first = run.fromPosition ?? MIRROR_START;
  return {
    isOutdated: async () => false,
    async next(position, limits) {
      const after = position === null ? first : (JSON.parse(position) as MirrorPosition);
      const { rows, bytes, end } = await readRows(deps, project.id, after, limits);
      if (rows.length === 0) return null;
      return {
        position: JSON.stringify(end),
        bytes,
        lines: async () => rows.map(lineOf),
        statement: () => statementOf(deps, rows),
      };
    },
  };
}

async function readRows(deps: ReaderDeps, projectId: number, after: MirrorPosition, limits: SliceLimits) {
  const rows: PersonRow[] = [];
  let [bytes, end] = [0, after];
  for (
    let isMore = true;
    isMore && rows.length < limits.rows && bytes < Math.min(limits.bytes, MAX_STATEMENT_BYTES);
  ) {
    const batch = await deps.ingest.listChangedPersons(projectId, end, BATCH_PERSONS);
    const found = await rowsOf(deps, batch);
    rows.push(...found);
    bytes += found.reduce((sum, { properties, distinct_ids: ids }) => sum + properties.length + ids.length, 0);
    isMore = batch.persons.length === BATCH_PERSONS;
    if (found.length > 0) end = batch.position;
  }
  return { rows, bytes, end };
}

async function rowsOf({ metadata }: ReaderDeps, { projectId, removed, persons }: MirrorBatch): Promise<PersonRow[]> {
  const rows: PersonRow[] = removed.map((uuid) => ({
    person_id: uuid,
    distinct_ids: '[]',
    created_at: '',
    is_identified: 'false',
    is_deleted: 'true',
    properties: '{}',
  }));
  for (const { uuid, createdAt, properties } of persons) {
    const person = await metadata.persons.get(projectId, { uuid });
    // Deleted since: a later run says so.
    if (!person) continue;
    rows.push({
      person_id: uuid,
      distinct_ids: JSON.stringify(await listDistinctIds(metadata.persons, person.id)),
      created_at: String(createdAt),
      is_identified: String(person.isIdentified),
      is_deleted: 'false',
      properties,
    });
  }
  return rows;
}

const timeOf = ({ created_at: time }: PersonRow): Json => (time === '' ? null : new Date(Number(time)).toISOString());

const lineOf = (row: PersonRow): string =>
  `{"person_id":"${row.person_id}","distinct_ids":${row.distinct_ids},"created_at":${JSON.stringify(timeOf(row))},` +
  `"is_identified":${row.is_identified},"is_deleted":${row.is_deleted},"properties":${row.properties}}`;

/** The rows themselves are bound: the event store's copy does not know what changed when. */
function statementOf({ dialect }: ReaderDeps, rows: readonly PersonRow[]) {
  const sql = dialect.newStatement();
  const time = sql.timestamp(sql.timeOfMs(`cast(nullif(r.created_at, '') as bigint)`));
  // A comparison is a number in ClickHouse.
  const flag = (column: (typeof COLUMNS)[number]): string => `cast(r.${column} = 'true' as boolean) as ${column}`;
  const text = `select cast(r.person_id as UUID) as person_id, r.distinct_ids as distinct_ids,
      ${time} as created_at, ${flag('is_identified')}, ${flag('is_deleted')}, r.properties as properties
    from ${sql.rows(COLUMNS, rows)} r`;
  return { sql: text, values: sql.values };
}
