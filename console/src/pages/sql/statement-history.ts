/** The last statements that worked, in this browser. */
import { readStored, writeStored } from '../../lib/stored.ts';

const MAX_STATEMENTS = 20;
const MAX_LENGTH = 10_000;
const keyOf = (projectId: number): string => `cairn.sql-history.${projectId}`;

export function readHistory(projectId: number): string[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(projectId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** The latest first, each once. */
export function addToHistory(projectId: number, sql: string): string[] {
  const before = readHistory(projectId);
  if (sql.length > MAX_LENGTH) return before;
  const history = [sql, ...before.filter((one) => one !== sql)].slice(0, MAX_STATEMENTS);
  writeStored(keyOf(projectId), JSON.stringify(history));
  return history;
}
