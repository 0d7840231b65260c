/**
 * Which properties have a column of their own just now, and which are asked for: the memory of the thread that owns the
 * file. What is written in the file (`promoted_columns`) is never ahead of what stands here, so that whoever reads a
 * column can tell afterwards whether it meant the same all the while.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnOwner, PropertyRead } from '../events/property-placeholders.ts';
import { PropertyUsage } from '../events/property-usage.ts';

export interface PromotedColumn {
  readonly id: number;
  readonly owner: ColumnOwner;
  readonly key: string;
  /** Whether every row has been looked at; before that nobody reads it, but new rows are written with it. */
  isReady: boolean;
  /** Whether some row may hold a mark (see `promoted-text.ts`). */
  hasMarks: boolean;
  /** Whether the file knows that too. */
  hasSavedMarks: boolean;
  /** When it was read last, as far as the file knows; ms UTC. */
  lastUsed: number;
}

export const TABLE_OF: Readonly<Record<ColumnOwner, string>> = { event: 'event_rows', person: 'person_rows' };

export const columnName = ({ id }: Pick<PromotedColumn, 'id'>): string => `promoted_${Number(id)}`;

export class PromotedColumns {
  #columns: PromotedColumn[];
  readonly #used = new Set<PromotedColumn>();
  readonly #demand = new PropertyUsage();

  constructor(columns: readonly PromotedColumn[]) {
    this.#columns = [...columns];
  }

  /** In the order in which they lie in their tables. */
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
    this.#demand.remove(column);
  }

  /** In its old place. */
  restore(column: PromotedColumn): void {
    this.#columns = [...this.#columns, column].sort((a, b) => a.id - b.id);
  }

  remove(gone: PromotedColumn): void {
    this.#columns = this.#columns.filter((column) => column !== gone);
    this.#used.delete(gone);
  }

  /** Takes down that a statement reads these. */
  recordReads(reads: Iterable<PropertyRead>): void {
    for (const read of reads) {
      const column = this.find(read);
      if (column !== undefined) this.#used.add(column);
      else this.#demand.add(read);
    }
  }

  /** What is read by enough statements, the most wanted one first. */
  mostRead(): PropertyRead[] {
    return this.#demand.mostRead();
  }

  /** Those that were read since this was asked last. */
  takeUsed(): PromotedColumn[] {
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  /** Whether it was read since then. */
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

/** Writes down, within the caller's transaction, which columns have got their first mark; `saved` is for after it. */
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
