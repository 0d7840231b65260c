/**
 * Checks the stores, opened without the server, against what the clients sent. Returns violations. Rows are read in
 * parts and not kept, so that a run of ten million events needs no larger heap.
 */
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../src/stores/data-files.ts';
import { checkHistory, checkPersons, type MetadataRows, readPersons } from './check-persons.ts';
import { RowCheck, type StoredRow } from './check-rows.ts';
import type { Ledger } from './ledger.ts';
import { type Report, reportTo } from './report.ts';
import type { Status } from './server-process.ts';

interface Findings {
  violations: string[];
  events: number;
}

interface StoredEvents {
  /** All of them, in parts. */
  parts: AsyncIterable<readonly StoredRow[]>;
  /** Whether they come in the order in which they were stored. */
  isOrdered: boolean;
}

export async function check(dataDir: string, ledger: Ledger, status: Status): Promise<Findings> {
  const instance = await DuckDBInstance.create(join(dataDir, DATA_FILES.events), { memory_limit: '512MB' });
  const connection = await instance.connect();
  const db = new Database(join(dataDir, DATA_FILES.metadata), { readonly: true });
  async function* rows<T>(sql: string): AsyncGenerator<T> {
    yield* db.prepare<[], T>(sql).iterate();
  }
  try {
    return await checkAll({ parts: readEvents(connection), isOrdered: true }, { rows }, ledger, status);
  } finally {
    db.close();
    connection.closeSync();
    instance.closeSync();
  }
}

export async function checkAll(
  events: StoredEvents,
  metadata: MetadataRows,
  ledger: Ledger,
  status: Status,
): Promise<Findings> {
  const violations: string[] = [];
  const persons = await readPersons(metadata);
  const stored = new RowCheck(ledger, persons, violations);
  for await (const rows of events.parts) {
    for (const row of rows) {
      stored.add(row);
      if (events.isOrdered) stored.checkOrder(row);
    }
  }
  stored.checkTimes();
  checkCounters(status, stored.rows, ledger, reportTo(violations));
  await checkPersons(persons, ledger, metadata, reportTo(violations));
  await checkHistory(metadata, ledger, reportTo(violations));
  return { violations, events: stored.rows };
}

const ROWS_PER_PART = 50_000;

async function* readEvents(connection: DuckDBConnection): AsyncGenerator<StoredRow[]> {
  const last = await connection.runAndReadAll('select coalesce(max(rowid), -1)::integer as last from event_rows');
  const end = Number(last.getRowsJS()[0]?.[0]);
  for (let from = 0; from <= end; from += ROWS_PER_PART) {
    const result = await connection.runAndReadAll(`
      select json_extract_string(e.properties, '$.marker') as marker, e.uuid::varchar as uuid,
        e.distinct_id as "distinctId", coalesce(o.to_id, e.person_id)::varchar as "personId",
        json_extract(e.properties, '$.number')::integer as number
      from event_rows e
      left join person_overrides o on o.from_id = e.person_id and o.project_id = e.project_id
      where e.rowid between ${from} and ${from + ROWS_PER_PART - 1} order by e.rowid`);
    yield result.getRowObjectsJS() as unknown as StoredRow[];
  }
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
