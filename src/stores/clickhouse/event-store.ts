import type { Range } from '../../core/time/range.ts';
import type { BlockStore, Shipment, ShippedTotals } from '../cluster/block-store.ts';
import { packBlock } from '../cluster/event-block.ts';
import type { AddressPlace } from '../events/address-place.ts';
import type {
  ColumnTable,
  EventBatch,
  ParquetCompression,
  PromotedProperty,
  SqlRow,
  SqlValue,
} from '../events/event-store.ts';
import type { MirrorBatch, MirrorPosition } from '../events/person-mirror.ts';
import { type ResolvedSql, resolvePlaceholders } from '../events/property-placeholders.ts';
import type { PropertyReadCount } from '../events/property-usage.ts';
import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import { type LogProgress, progressAt } from '../ingest/log-progress.ts';
import { addPlacesInClickHouse } from './add-places.ts';
import { ClickHouseConnection, type ConnectionOptions } from './connection.ts';
import { hasCode } from './failure.ts';
import { StoreNotes } from './keyed-notes.ts';
import { migrateClickHouse } from './migrate.ts';
import {
  deleteClickHouseMirror,
  readClickHouseMirrorPosition,
  readMirrorPositions,
  writeClickHouseMirror,
} from './mirror.ts';
import { writeClickHouseOverrides } from './overrides.ts';
import { ClickHousePromotion } from './promotion.ts';
import { clickhouseJsonProperty } from './property-sql.ts';
import { reassignInClickHouse } from './reassign-events.ts';
import { mutableTable, systemTable, type Topology } from './schema.ts';

export type ClickHouseOptions = ConnectionOptions;

const POSITION = 'log_position';
/** Of the last shipment: all events up to it, and when the last one was received. */
const TOTALS = { events: 'shipped_events', receivedAt: 'shipped_received_at' } as const;
const COLUMN_REFRESH_INTERVAL_MS = 60_000;

/** Opens the event store of a cluster. Any number of processes may read; one at a time writes. */
export async function openClickHouseEventStore(options: ClickHouseOptions): Promise<BlockStore> {
  const topology = { cluster: options.cluster ?? null };
  // The name becomes part of statements.
  if (topology.cluster !== null && !/^[\w.-]+$/.test(topology.cluster)) {
    throw new Error(`CLICKHOUSE_CLUSTER must be a name of letters, digits, dots and dashes, not ${topology.cluster}.`);
  }
  const connection = new ClickHouseConnection(options);
  try {
    await migrateClickHouse(connection, topology, options.url);
    return new ClickHouseEventStore(connection, topology);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class ClickHouseEventStore implements BlockStore {
  readonly #connection: ClickHouseConnection;
  readonly #topology: Topology;
  readonly #notes: StoreNotes;
  readonly #promotion: ClickHousePromotion;
  /** When the promoted columns were last loaded. */
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** As far as this process knows; null after a failure, when it must be read. */
  #position: number | null = null;
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(connection: ClickHouseConnection, topology: Topology) {
    this.#connection = connection;
    this.#topology = topology;
    this.#notes = new StoreNotes(connection);
    this.#promotion = new ClickHousePromotion(connection, this.#notes, topology);
  }

  /** Always read: another process may have written. */
  async position(): Promise<number> {
    this.#position = await this.#notes.readNumber(POSITION);
    return this.#position;
  }

  /** Shipments are numbered one after the other: no project is ahead. */
  async progress(): Promise<LogProgress> {
    return progressAt(await this.position());
  }

  async write({ events, overrides, position, whileCommitting }: EventBatch): Promise<void> {
    const block = packBlock(events);
    const written = this.writeBlocks({ blocks: [block], overrides, position });
    whileCommitting?.();
    await written;
  }

  /** Three repeatable steps: events (deduplicated by a token), overrides (which store the position), and the position. */
  writeBlocks({ blocks, overrides, position, totals }: Shipment): Promise<void> {
    return this.#oneAtATime(async () => {
      if (position <= (this.#position ?? (await this.position()))) return;
      try {
        await this.#connection.insert('event_rows', Buffer.concat(blocks), `events ${position}`);
        await writeClickHouseOverrides(this.#connection, overrides, position);
        await this.#notes.write({ [POSITION]: position, ...noteTotals(totals) });
        this.#position = position;
      } catch (error) {
        this.#position = null;
        throw error;
      }
    });
  }

  async shipped(): Promise<ShippedTotals> {
    const notes = await this.#notes.read('shipped_');
    const numberOf = (name: string): number | null => (notes.has(name) ? Number(notes.get(name)) : null);
    return {
      shipment: await this.position(),
      events: numberOf(TOTALS.events),
      receivedAt: numberOf(TOTALS.receivedAt),
    };
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#resolveAndRun(sql, values, (resolved) =>
      this.#connection.query(resolved.sql, resolved.values, signal),
    );
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#resolveAndRun(sql, values, (resolved) =>
      this.#connection.queryColumns(resolved.sql, resolved.values, signal),
    );
  }

  writeParquet(
    sql: string,
    values: readonly SqlValue[],
    target: string,
    compression: ParquetCompression,
  ): Promise<number> {
    return this.#resolveAndRun(sql, values, (resolved) =>
      this.#connection.writeParquet(resolved.sql, resolved.values, target, compression),
    );
  }

  /** Resolves placeholders and runs a statement; again if another process has dropped a column that it reads. */
  #resolveAndRun<T>(sql: string, values: readonly SqlValue[], run: (resolved: ResolvedSql) => Promise<T>): Promise<T> {
    const resolve = (): ResolvedSql =>
      resolvePlaceholders(sql, values, {
        path: (key) => key,
        fromJson: clickhouseJsonProperty,
        fromColumn: (...read) => this.#promotion.columnSql(...read),
      });
    const first = resolve();
    this.#promotion.recordOwnReads(first.reads);
    this.#refreshColumns();
    return this.#track(async () => {
      try {
        return await run(first);
      } catch (error) {
        if (!hasCode(error, 'UNKNOWN_IDENTIFIER', 'NO_SUCH_COLUMN_IN_TABLE', 'NOT_FOUND_COLUMN_IN_BLOCK')) throw error;
        await this.#promotion.load();
        const second = resolve();
        if (second.sql === first.sql) throw error;
        return await run(second);
      }
    });
  }

  /** Other processes may have added or dropped columns. */
  #refreshColumns(): void {
    if (performance.now() - this.#refreshedAt < COLUMN_REFRESH_INTERVAL_MS) return;
    this.#refreshedAt = performance.now();
    void this.#track(() => this.#promotion.load()).catch(() => undefined);
  }

  mirrorPosition(projectId: number): Promise<MirrorPosition> {
    return this.#track(() => readClickHouseMirrorPosition(this.#notes, projectId));
  }

  listMirroredProjects(): Promise<number[]> {
    return this.#track(async () => [...(await readMirrorPositions(this.#notes)).keys()].sort((a, b) => a - b));
  }

  mirrorPersons(slice: MirrorBatch): Promise<void> {
    return this.#oneAtATime(() => writeClickHouseMirror(this.#connection, this.#notes, slice));
  }

  deleteMirror(projectId: number): Promise<void> {
    return this.#oneAtATime(() => deleteClickHouseMirror(this.#connection, this.#notes, this.#topology, projectId));
  }

  /** None are kept: rows that inserts add to could not take back moved and deleted events. */
  async prepareSessions(): Promise<boolean> {
    return false;
  }

  deleteBefore(projectId: number, timestamp: number): Promise<number> {
    const values = [projectId, Math.trunc(timestamp)];
    const where = 'where project_id = $1 and timestamp < $2';
    return this.#oneAtATime(async () => {
      const [row] = await this.#connection.queryConsistent(`select count(*) as n from event_rows ${where}`, values);
      const count = Number(row?.['n'] ?? 0);
      if (count > 0)
        await this.#connection.run(`delete from ${mutableTable(this.#topology, 'event_rows')} ${where}`, values);
      return count;
    });
  }

  addPlaces(projectId: number, range: Range, places: readonly AddressPlace[]): Promise<number> {
    const deps = { connection: this.#connection, topology: this.#topology };
    return this.#oneAtATime(() => addPlacesInClickHouse(deps, projectId, range, places));
  }

  reassign(reassignments: readonly Reassignment[]): Promise<Reassigned[]> {
    const deps = { connection: this.#connection, notes: this.#notes, topology: this.#topology };
    return this.#oneAtATime(async () => {
      const done: Reassigned[] = [];
      for (const reassignment of reassignments) done.push(await reassignInClickHouse(deps, reassignment));
      return done;
    });
  }

  /**
   * Deleted rows and older versions of persons are only hidden until their part is rewritten. ClickHouse removes replaced
   * parts from disk some minutes later.
   */
  purge(): Promise<void> {
    return this.#oneAtATime(async () => {
      await this.#connection.run(`alter table ${mutableTable(this.#topology, 'event_rows')} apply deleted mask`);
      await this.#connection.run(`delete from ${mutableTable(this.#topology, 'person_versions')} where is_gone = 1`);
      for (const table of ['person_versions', 'person_override_rows', 'store_notes'] as const) {
        await this.#connection.run(`optimize table ${mutableTable(this.#topology, table)} final`);
      }
    });
  }

  maintain(now: number): Promise<boolean> {
    return this.#oneAtATime(() => this.#promotion.step(Math.trunc(now)));
  }

  needsMaintenance(now: number): boolean {
    return this.#promotion.isDue(now);
  }

  takeReads(): PropertyReadCount[] {
    return this.#promotion.takeReads();
  }

  recordReads(reads: readonly PropertyReadCount[]): void {
    this.#promotion.recordReads(reads);
  }

  async listPromotedProperties(): Promise<PromotedProperty[]> {
    return this.#promotion.describe();
  }

  async size(): Promise<number> {
    const [row] = await this.query(
      `select sum(bytes_on_disk) as bytes from ${systemTable(this.#topology, 'parts')} where database = $1 and active`,
      [this.#connection.database],
    );
    return Number(row?.['bytes'] ?? 0);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([this.#lastWrite, ...this.#running]);
    await this.#connection.close();
  }

  async #track<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new Error('The event store is closed.');
    const running = run();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The event store is closed.'));
    const turn = this.#lastWrite.catch(() => undefined).then(work);
    this.#lastWrite = turn;
    return turn;
  }
}

const noteTotals = (totals: ShippedTotals | undefined): Record<string, number> =>
  totals?.events == null ? {} : { [TOTALS.events]: totals.events, [TOTALS.receivedAt]: totals.receivedAt ?? 0 };
