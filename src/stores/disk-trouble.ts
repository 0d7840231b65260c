/** Errors of the disk below a store: full, read-only, unreadable. The same request may succeed once it is repaired. */
const CODES = /^(?:SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|CORRUPT)|ENOSPC|EIO|EROFS|EDQUOT|EMFILE|ENFILE|53100|58030$)/;
/** DuckDB has no codes. */
const DUCKDB = /^IO Error|No space left on device|Read-only file system|Input\/output error/i;

export function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && CODES.test(code)) || DUCKDB.test(error.message) || isDiskTrouble(error.cause);
}
