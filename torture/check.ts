/** Checks the stores, opened without the server, against what the clients sent. Returns violations. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../src/stores/data-files.ts';
import type { Ledger, SentEvent } from './ledger.ts';
import type { Status } from './server-process.ts';

export interface StoredRow {
  marker: string;
  uuid: string;
  distinctId: string;
  personId: string;
  number: number | null;
}

interface Findings {
  violations: string[];
  events: number;
}

/** The metadata. Column names are quoted because engines differ in case. */
export interface PersonRecords {
  rows<T>(sql: string): Promise<T[]>;
}

export async function check(dataDir: string, ledger: Ledger, status: Status): Promise<Findings> {
  const rows = await readEvents(join(dataDir, DATA_FILES.events));
  const db = new Database(join(dataDir, DATA_FILES.metadata), { readonly: true });
  const records: PersonRecords = { rows: async <T>(sql: string) => db.prepare(sql).all() as T[] };
  const findings = await checkAll(rows, records, ledger, status);
  const { violations } = findings;
  checkOrder(rows, (text) => violations.length < 50 && violations.push(text));
  db.close();
  return findings;
}

/** Everything that does not depend on the order of rows. */
export async function checkAll(
  rows: readonly StoredRow[],
  records: PersonRecords,
  ledger: Ledger,
  status: Status,
): Promise<Findings> {
  const violations: string[] = [];
  const report = (text: string): void => {
    if (violations.length < 50) violations.push(text);
  };
  checkCounters(status, rows.length, ledger, report);
  checkOnce(rows, ledger, report);
  await checkPersons(rows, ledger, records, report);
  await checkPersonHistory(records, ledger, report);
  return { violations, events: rows.length };
}

type Report = (text: string) => unknown;

async function readEvents(path: string): Promise<StoredRow[]> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(`
    select json_extract_string(e.properties, '$.marker') as marker, e.uuid::varchar as uuid,
      e.distinct_id as "distinctId", coalesce(o.to_id, e.person_id)::varchar as "personId",
      json_extract(e.properties, '$.number')::integer as number
    from event_rows e
    left join person_overrides o on o.from_id = e.person_id and o.project_id = e.project_id
    order by e.rowid`);
  const rows = result.getRowObjectsJS() as unknown as StoredRow[];
  connection.closeSync();
  instance.closeSync();
  return rows;
}

function checkCounters(status: Status, rows: number, ledger: Ledger, report: Report): void {
  const dropped = Object.values(status.dropped).reduce((sum, count) => sum + count, 0);
  const total = status.stored + status.duplicate + dropped + status.dead_lettered + status.pending;
  if (status.accepted !== total) report(`accepted ${status.accepted} ≠ ${total}, the sum of all fates`);
  if (status.stored !== rows) report(`counted ${status.stored} as stored, found ${rows} rows`);
  if (status.dead_lettered > 0) report(`${status.dead_lettered} events are dead letters`);
  const { acknowledgedEvents: acknowledged } = ledger;
  if (status.accepted < acknowledged) report(`accepted ${status.accepted} < ${acknowledged} acknowledged`);
}

/** Acknowledged ⊆ stored ⊆ sent, each once, by marker and by uuid. */
function checkOnce(rows: readonly StoredRow[], ledger: Ledger, report: Report): void {
  const stored = new Map<string, number>();
  for (const { marker } of rows) stored.set(marker, (stored.get(marker) ?? 0) + 1);
  if (new Set(rows.map((row) => row.uuid)).size !== rows.length) report('some uuids are stored more than once');
  for (const { events, attempts, acknowledged } of ledger.requests) {
    for (const event of events) {
      const times = stored.get(event.marker) ?? 0;
      stored.delete(event.marker);
      const [min, max] = bounds(event, attempts, acknowledged);
      if (times < min || times > max) {
        report(`${event.marker}: stored ${times} times; sent ${attempts}, acknowledged ${acknowledged} times`);
      }
    }
  }
  for (const marker of stored.keys()) report(`${marker} is stored, but was never sent`);
}

function bounds(event: SentEvent, attempts: number, acknowledged: number): [number, number] {
  if (event.isNameless) return [0, 0];
  // Without an id every accepted request is a new event, even if its response was lost.
  return event.hasIdentity ? [Math.min(acknowledged, 1), Math.min(attempts, 1)] : [acknowledged, attempts];
}

function checkOrder(rows: readonly StoredRow[], report: Report): void {
  const last = new Map<string, number>();
  for (const { distinctId, number } of rows) {
    if (number === null) continue;
    if (number <= (last.get(distinctId) ?? 0))
      report(`${distinctId}: ${number} is stored after ${last.get(distinctId)}`);
    last.set(distinctId, number);
  }
}

async function checkPersons(
  rows: readonly StoredRow[],
  ledger: Ledger,
  records: PersonRecords,
  report: Report,
): Promise<void> {
  const owners = await records.rows<{ distinctId: string; uuid: string; properties: string }>(`
    select d.distinct_id as "distinctId", p.uuid as "uuid", p.properties as "properties"
    from person_distinct_ids d join persons p on p.id = d.person_id`);
  const persons = new Map(owners.map((row) => [row.distinctId, row] as const));
  for (const { marker, distinctId, personId } of rows) {
    const person = persons.get(distinctId);
    if (distinctId.startsWith('nobody-')) {
      if (person) report(`${distinctId} should have no person`);
    } else if (person?.uuid !== personId)
      report(`${marker} belongs to ${personId}, its id to ${person?.uuid ?? 'nobody'}`);
  }
  const newest = new Map<string, number>();
  for (const { events, acknowledged } of ledger.requests) {
    for (const { distinctId, number, joins } of acknowledged > 0 ? events : []) {
      if (number !== null) newest.set(distinctId, Math.max(number, newest.get(distinctId) ?? 0));
      if (joins !== null && persons.get(joins)?.uuid !== persons.get(distinctId)?.uuid) {
        report(`${joins} was merged with ${distinctId}, but they are two persons`);
      }
    }
  }
  for (const [distinctId, number] of newest) {
    const { last } = JSON.parse(persons.get(distinctId)?.properties ?? '{}') as { last?: number };
    if (last !== number) report(`${distinctId}: the last value is ${last}, not ${number}`);
  }
  const [orphans] = await records.rows<{ n: number }>(
    'select count(*) as "n" from person_distinct_ids where person_id not in (select id from persons)',
  );
  if (Number(orphans?.n) !== 0) report(`${orphans?.n} distinct ids point to persons that do not exist`);
}

/** A property's history has no gaps or repetitions, and a person is merged away at most once. */
async function checkPersonHistory(records: PersonRecords, ledger: Ledger, report: Report): Promise<void> {
  const last = new Map<string, string | null>();
  const history = await records.rows<{ person: string; before: string | null; after: string | null }>(`
    select person_uuid as "person", before_value as "before", after_value as "after"
    from person_property_history where name = 'last' order by id`);
  for (const { person, before, after } of history) {
    if (before !== (last.get(person) ?? null)) report(`history of ${person}: ${before} follows ${last.get(person)}`);
    if (Number(after) <= Number(before ?? 0)) report(`history of ${person}: ${after} after ${before}`);
    last.set(person, after);
  }
  const twice = await records.rows('select source_uuid from person_merges group by source_uuid having count(*) > 1');
  if (twice.length > 0) report(`${twice.length} persons were merged away more than once`);
  const [companies] = await records.rows<{ n: number }>('select count(*) as "n" from group_types');
  const named = ledger.requests.some(({ acknowledged, events }) => acknowledged > 0 && events.some((e) => !e.number));
  if (named && Number(companies?.n) !== 1) report(`${companies?.n} group types instead of one`);
}
