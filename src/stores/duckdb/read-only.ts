/** Reads an event file without changing it, to move its data elsewhere. */
import { statSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { countFitting } from '../../core/count-fitting.ts';
import { HOT_PROPERTIES, hotProperties } from '../../core/events/hot-properties.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { PersonOverride, SqlRow, StoredEvent } from '../events/event-store.ts';
import type { LogProgress } from '../ingest/log-progress.ts';
import { filesOf } from './engine.ts';
import { isLargeSql, largeEventBytesSql, wholeTextSql } from './large-events-sql.ts';
import { readNumber, readStoredProgress, SCHEMA_VERSION } from './schema.ts';
import { toSqlRows } from './values.ts';

/** Whether the file was not closed cleanly, so that its journal has more data. */
export const hasDuckDbJournal = (path: string): boolean =>
  filesOf(path)
    .slice(1)
    .some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0);

const settings = {
  access_mode: 'READ_ONLY',
  memory_limit: '512MB',
  threads: '2',
  // No spilling to disk: the folder must not change.
  temp_directory: '',
  autoinstall_known_extensions: 'false',
};

const GROUPS = [0, 1, 2, 3, 4];
const quote = (name: string): string => `"${name}"`;
const OPTIONAL = [...GROUPS.map((n) => `group_${n}`), ...HOT_PROPERTIES].map(quote).join(', ');

const EVENTS = `
  select rowid, project_id, uuid::varchar, event, distinct_id, person_id::varchar, epoch_ms(timestamp),
    epoch_ms(created_at), ${wholeTextSql('e', 'properties')}, ${wholeTextSql('e', 'elements_chain')},
    ${isLargeSql('e')}, ${OPTIONAL}
  from event_rows e
  where rowid >= $1 and rowid < $2`;

export class ReadOnlyEventFile {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(path: string): Promise<ReadOnlyEventFile> {
    const instance = await DuckDBInstance.create(path, settings);
    const connection = await instance.connect();
    await connection.run(`set global TimeZone = 'UTC'`);
    await connection.run('set global enable_external_access = false');
    return new ReadOnlyEventFile(instance, connection);
  }

  /** Whether it has this version's schema. */
  async isCurrent(): Promise<boolean> {
    return (await readNumber(this.#connection, 'select max(version) from schema_version')) === SCHEMA_VERSION;
  }

  progress(): Promise<LogProgress> {
    return readStoredProgress(this.#connection);
  }

  /** The last reassignment that was applied. */
  reassignmentPosition(): Promise<number> {
    return readNumber(this.#connection, 'select position from refiling_position');
  }

  /** One past the last row id. Row ids are stable while nobody writes, with gaps. */
  end(): Promise<number> {
    return readNumber(this.#connection, 'select coalesce(max(rowid) + 1, 0) from event_rows');
  }

  /** The end of the range from here that has at most so many row ids and bytes; at least one row id. */
  async rangeEnd(from: number, rowIds: number, maxBytes: number): Promise<number> {
    const end = from + rowIds;
    const sizes = await this.query(
      `select rowid, ${largeEventBytesSql('e')} as bytes from event_rows e
      where rowid >= ${Math.trunc(from)} and rowid < ${Math.trunc(end)} order by rowid`,
    );
    const fitting = countFitting(
      sizes.map(({ bytes }) => ({ bytes: Number(bytes) })),
      maxBytes,
    );
    return Number(sizes[fitting]?.['rowid'] ?? end);
  }

  count(before: number): Promise<number> {
    return readNumber(this.#connection, `select count(*) from event_rows where rowid < ${Math.trunc(before)}`);
  }

  /** Events by row id, a few thousand at a time. */
  async *events(from: number, to: number): AsyncGenerator<StoredEvent[]> {
    const range = `rowid >= ${Math.trunc(from)} and rowid < ${Math.trunc(to)}`;
    const expected = await readNumber(this.#connection, `select count(*) from event_rows where ${range}`);
    const result = await this.#connection.stream(EVENTS, [from, to]);
    let read = 0;
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      read += chunk.rowCount;
      yield chunk.getRows().map(toEvent);
    }
    // The driver ends a result that cannot be read further as if there were no more rows.
    if (read < expected) throw new Error(`Only ${read} of ${expected} events could be read from the event file.`);
  }

  /** Events whose row is shortened, one at a time. */
  async *largeEvents(): AsyncGenerator<StoredEvent> {
    const rows = await this.query(`select rowid from event_rows e where ${isLargeSql('e')} order by rowid`);
    for (const { rowid } of rows) {
      for await (const events of this.events(Number(rowid), Number(rowid) + 1)) yield* events;
    }
  }

  /** In a stable order. */
  async overrides(from: number, to: number): Promise<PersonOverride[]> {
    const rows = await this.query(
      `select project_id, from_id::varchar as from_id, to_id::varchar as to_id
      from person_overrides order by project_id, from_id limit ${Math.trunc(to - from)} offset ${Math.trunc(from)}`,
    );
    return rows.map((row) => ({
      projectId: Number(row['project_id']),
      from: String(row['from_id']),
      to: String(row['to_id']),
    }));
  }

  overrideCount(): Promise<number> {
    return readNumber(this.#connection, 'select count(*) from person_overrides');
  }

  async query(sql: string): Promise<SqlRow[]> {
    return toSqlRows(await this.#connection.run(sql));
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

const textOrNull = (value: DuckDBValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

function toEvent([, ...row]: DuckDBValue[]): StoredEvent {
  const [
    projectId,
    uuid,
    event,
    distinctId,
    personId,
    timestamp,
    createdAt,
    properties,
    elementsChain,
    isLarge,
    ...rest
  ] = row;
  const optional = rest.map(textOrNull);
  return {
    projectId: Number(projectId),
    uuid: String(uuid),
    event: String(event),
    distinctId: String(distinctId),
    personId: String(personId),
    timestamp: Number(timestamp),
    createdAt: Number(createdAt),
    properties: String(properties),
    // Only needed for promoted columns.
    parsed: {},
    elementsChain: String(elementsChain),
    groups: optional.slice(0, GROUPS.length),
    // The columns of a large event are shortened.
    hot: isLarge === true ? hotProperties(parseExact(String(properties))) : optional.slice(GROUPS.length),
  };
}
