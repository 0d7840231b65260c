/** Checks persons, their distinct ids, and the history of their properties. */
import { joinedId, type Ledger } from './ledger.ts';
import type { Report } from './report.ts';

/** The metadata, read row by row. Column names are quoted because engines differ in case. */
export interface MetadataRows {
  rows<T>(sql: string): AsyncIterable<T>;
}

export interface PersonRecord {
  uuid: string;
  /** The property that ordered events set. */
  last: number | undefined;
}

/** By distinct id; ids of one person share a record. */
export async function readPersons(metadata: MetadataRows): Promise<Map<string, PersonRecord>> {
  const byUuid = new Map<string, PersonRecord>();
  const persons = metadata.rows<{ uuid: string; properties: string }>(
    'select uuid as "uuid", properties as "properties" from persons',
  );
  for await (const { uuid, properties } of persons) {
    byUuid.set(uuid, { uuid, last: (JSON.parse(properties) as { last?: number }).last });
  }
  const byDistinctId = new Map<string, PersonRecord>();
  const owners = metadata.rows<{ distinctId: string; uuid: string }>(`
    select d.distinct_id as "distinctId", p.uuid as "uuid"
    from person_distinct_ids d join persons p on p.id = d.person_id`);
  for await (const { distinctId, uuid } of owners) {
    const person = byUuid.get(uuid);
    if (person) byDistinctId.set(distinctId, person);
  }
  return byDistinctId;
}

export async function checkPersons(
  persons: ReadonlyMap<string, PersonRecord>,
  ledger: Ledger,
  metadata: MetadataRows,
  report: Report,
): Promise<void> {
  const newest = new Map<string, number>();
  for (const { marker, distinctId, number, joins, acknowledged } of ledger.events()) {
    if (acknowledged === 0) continue;
    if (number !== null) newest.set(distinctId, Math.max(number, newest.get(distinctId) ?? 0));
    if (joins && persons.get(joinedId(marker))?.uuid !== persons.get(distinctId)?.uuid) {
      report(`${joinedId(marker)} was merged with ${distinctId}, but they are two persons`);
    }
  }
  for (const [distinctId, number] of newest) {
    const last = persons.get(distinctId)?.last;
    if (last !== number) report(`${distinctId}: the last value is ${last}, not ${number}`);
  }
  const orphans = await countOf(
    metadata,
    'select count(*) as "n" from person_distinct_ids where person_id not in (select id from persons)',
  );
  if (orphans !== 0) report(`${orphans} distinct ids point to persons that do not exist`);
}

/** A property's history has no gaps or repetitions, and a person is merged away at most once. */
export async function checkHistory(metadata: MetadataRows, ledger: Ledger, report: Report): Promise<void> {
  const last = new Map<string, string | null>();
  const history = metadata.rows<{ person: string; before: string | null; after: string | null }>(`
    select person_uuid as "person", before_value as "before", after_value as "after"
    from person_property_history where name = 'last' order by id`);
  for await (const { person, before, after } of history) {
    if (before !== (last.get(person) ?? null)) report(`history of ${person}: ${before} follows ${last.get(person)}`);
    if (Number(after) <= Number(before ?? 0)) report(`history of ${person}: ${after} after ${before}`);
    last.set(person, after);
  }
  const twice = await countOf(
    metadata,
    `select count(*) as "n" from
      (select source_uuid from person_merges group by source_uuid having count(*) > 1) as repeated`,
  );
  if (twice > 0) report(`${twice} persons were merged away more than once`);
  const companies = await countOf(metadata, 'select count(*) as "n" from group_types');
  if (companies !== 1 && hasGroups(ledger)) report(`${companies} group types instead of one`);
}

/** Every event whose order does not matter has a company. */
function hasGroups(ledger: Ledger): boolean {
  for (const { acknowledged, number } of ledger.events()) if (acknowledged > 0 && number === null) return true;
  return false;
}

async function countOf(metadata: MetadataRows, sql: string): Promise<number> {
  for await (const { n } of metadata.rows<{ n: number }>(sql)) return Number(n);
  return 0;
}
