/** Statements about the session that drivers send. */
import { SETTINGS } from '../rules/postgres-tree.ts';
import { type CursorStatement, cursorStatement } from './cursor-statements.ts';

export type SessionStatement =
  | CursorStatement
  | { kind: 'command'; tag: string; status?: 'I' | 'T' }
  | { kind: 'show'; name: string; value: string };

const COMMANDS: readonly (readonly [RegExp, string, ('I' | 'T')?])[] = [
  [/^(?:begin|start\s+transaction)\b/i, 'BEGIN', 'T'],
  [/^(?:commit|end)\b/i, 'COMMIT', 'I'],
  [/^(?:rollback|abort)\b/i, 'ROLLBACK', 'I'],
  [/^set\b/i, 'SET'],
  [/^reset\b/i, 'RESET'],
  [/^discard\b/i, 'DISCARD ALL'],
  [/^(?:savepoint)\b/i, 'SAVEPOINT'],
  [/^release\b/i, 'RELEASE'],
  [/^deallocate\b/i, 'DEALLOCATE'],
  [/^unlisten\b/i, 'UNLISTEN'],
];

/** Null: it is for the engine. */
export function sessionStatement(sql: string): SessionStatement | null {
  const text = sql.replace(/^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, '');
  for (const [pattern, tag, status] of COMMANDS) {
    if (pattern.test(text)) return { kind: 'command', tag, ...(status === undefined ? {} : { status }) };
  }
  const cursor = cursorStatement(text);
  if (cursor !== null) return cursor;
  const shown = /^show\s+(.{1,80}?)\s*$/is.exec(text)?.[1];
  if (shown === undefined) return null;
  const name = shown
    .toLowerCase()
    .replace(/^(transaction) isolation level$/, '$1_isolation')
    .replaceAll('"', '');
  return Object.hasOwn(SETTINGS, name) ? { kind: 'show', name, value: SETTINGS[name] ?? '' } : null;
}
