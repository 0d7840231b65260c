/** SQLite's error code (`SQLITE_FULL`, `SQLITE_IOERR_WRITE`, …), or '' for other errors. */
function sqliteCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

export const isCorruption = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
