/** Resolves property placeholders (see `property-placeholders.ts`) for DuckDB. */
import type { SqlValue } from '../events/event-store.ts';
import { type PropertyRead, type ResolvedSql, resolvePlaceholders } from '../events/property-placeholders.ts';
import { columnName, type PromotedColumn } from './promoted-columns.ts';
import { duckdbJsonProperty, duckdbPromotedProperty } from './promoted-text.ts';

export interface ResolvedStatement extends ResolvedSql {
  /** Whether the columns that it reads have not changed since. */
  isCurrent(): boolean;
}

interface Columns {
  find(read: PropertyRead): PromotedColumn | undefined;
  has(column: PromotedColumn): boolean;
}

export function resolveProperties(sql: string, values: readonly SqlValue[], columns: Columns): ResolvedStatement {
  const used = new Map<PromotedColumn, boolean>();
  const resolved = resolvePlaceholders(sql, values, {
    path: jsonPointer,
    fromJson: duckdbJsonProperty,
    fromColumn(reading, read, prefix) {
      const column = columns.find(read);
      if (!column?.isReady) return undefined;
      used.set(column, column.hasMarks);
      return duckdbPromotedProperty(reading, `${prefix}${columnName(column)}`, column.hasMarks);
    },
  });
  return {
    ...resolved,
    isCurrent: () => [...used].every(([column, hadMarks]) => columns.has(column) && column.hasMarks === hadMarks),
  };
}

/**
 * A JSON pointer (RFC 6901) to a top-level key. Keys are user data; a pointer only escapes `~` and `/`, while in DuckDB's
 * paths such as `$.a.b` dots, quotes, stars and brackets have a meaning too.
 */
export const jsonPointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
