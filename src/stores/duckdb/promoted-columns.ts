/**
 * The promoted columns and the use of properties, in memory of the thread that owns the file. The table
 * `promoted_columns` is never ahead of this, so that a query can check afterwards whether its columns have changed.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnOwner, PropertyRead } from '../events/property-placeholders.ts';
import { PropertyUsage } from '../events/property-usage.ts';

export interface PromotedColumn {
  readonly id: number;
  readonly owner: ColumnOwner;
  readonly key: string;
  /** Whether every row is filled. Queries read it only then; new rows are always filled. */
  isReady: boolean;
  /** Whether a row may contain a mark (see `promoted-text.ts`). */
  hasMarks: boolean;
  /** Whether that is saved. */
  hasSavedMarks: boolean;
  /** When it was last read, as saved; ms UTC. */
  lastUsed: number;
}

export const TABLE_OF: Readonly<Record<ColumnOwner, string>> = { event: 'event_rows', person: 'person_rows' };

export const columnName = ({ id }: Pick<PromotedColumn, 'id'>): string => `promoted_${Number(id)}`;

export class PromotedColumns {
  #columns: PromotedColumn[];
  readonly #used = new Set<PromotedColumn>();
  readonly #usage = new PropertyUsage();

  constructor(columns: readonly PromotedColumn[]) {
    this.#columns = [...columns];
  }

  /** In the order of their tables. */
  get all(): readonly PromotedColumn[] {
    return this.#columns;
  }

  ofOwner(owner: ColumnOwner): PromotedColumn[] {
    return this.#columns.filter((column) => column.owner === owner);
  }

  find({ owner, key }: PropertyRead): PromotedColumn | undefined {
    return this.#columns.find((column) => column.key === key && column.owner === owner);
  }

  has(column: PromotedColumn): boolean {
    return this.#columns.includes(column);
  }

  add(column: PromotedColumn): void {
    this.#columns.push(column);
    this.#usage.remove(column);
  }

  /** At its old place. */
  restore(column: PromotedColumn): void {
    this.#columns = [...this.#columns, column].sort((a, b) => a.id - b.id);
  }

  remove(dropped: PromotedColumn): void {
    this.#columns = this.#columns.filter((column) => column !== dropped);
    this.#used.delete(dropped);
  }

  /** Counts the reads of a statement. */
  recordReads(reads: Iterable<PropertyRead>): void {
    for (const read of reads) {
      const column = this.find(read);
      if (column !== undefined) this.#used.add(column);
      else this.#usage.add(read);
    }
  }

  /** Properties read often enough for a column, most read first. */
  mostRead(): PropertyRead[] {
    return this.#usage.mostRead();
  }

  /** The columns read since the last call. */
  takeUsed(): PromotedColumn[] {
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  isUsed(column: PromotedColumn): boolean {
    return this.#used.has(column);
  }
}

export async function loadPromotedColumns(connection: DuckDBConnection): Promise<PromotedColumns> {
  const result = await connection.run(
    'select id, owner, key, is_ready, has_marks, last_used from promoted_columns order by id',
  );
  const rows = await result.getRowsJS();
  return new PromotedColumns(
    rows.map(([id, owner, key, isReady, hasMarks, lastUsed]) => ({
      id: Number(id),
      owner: owner === 'person' ? 'person' : 'event',
      key: String(key),
      isReady: isReady === true,
      hasMarks: hasMarks === true,
      hasSavedMarks: hasMarks === true,
      lastUsed: Number(lastUsed),
    })),
  );
}

/** Saves, in the caller's transaction, which columns got their first mark. Call `saved` after the commit. */
export async function saveMarks(
  connection: DuckDBConnection,
  columns: readonly PromotedColumn[],
): Promise<{ saved(): void }> {
  const marked = columns.filter(({ hasMarks, hasSavedMarks }) => hasMarks && !hasSavedMarks);
  for (const { id } of marked) await connection.run('update promoted_columns set has_marks = true where id = $1', [id]);
  return {
    saved() {
      for (const column of marked) column.hasSavedMarks = true;
    },
  };
}
