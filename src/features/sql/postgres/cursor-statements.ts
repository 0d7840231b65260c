/** Statements about cursors, as psql (`FETCH_COUNT`) and drivers send them. Cursors only go forward. */
import { Failure } from '../../../core/errors.ts';

export type CursorStatement =
  | { kind: 'declare'; cursor: string; sql: string; isBinary: boolean; isHeld: boolean }
  /** `count` null: all that are left. */
  | { kind: 'fetch'; cursor: string; count: number | null }
  /** `cursor` null: all of them. */
  | { kind: 'close'; cursor: string | null };

/** Those other than DECLARE. */
const MAX_SHORT = 300;
const NAME = '"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*';
const DECLARE = new RegExp(
  `^declare\\s+(${NAME})\\s+((?:(?:binary|asensitive|insensitive|no|scroll)\\s+)*)cursor\\s+(with\\s+hold\\s+|without\\s+hold\\s+)?for\\s+(.+)$`,
  'is',
);
const FETCH = new RegExp(`^fetch\\s+(?:(.*?)\\s+)??(?:(?:from|in)\\s+)?(${NAME})\\s*$`, 'is');
const CLOSE = new RegExp(`^close\\s+(${NAME})\\s*$`, 'is');

/** Null: it is about something else. `text` begins with a word. */
export function cursorStatement(text: string): CursorStatement | null {
  const declared = DECLARE.exec(text);
  if (declared !== null) {
    const [, name = '', options = '', hold = '', sql = ''] = declared;
    return {
      kind: 'declare',
      cursor: plainName(name),
      sql,
      isBinary: /\bbinary\b/i.test(options),
      isHeld: /^with\b/i.test(hold),
    };
  }
  if (text.length > MAX_SHORT) return null;
  const fetched = FETCH.exec(text);
  if (fetched !== null)
    return { kind: 'fetch', cursor: plainName(fetched[2] ?? ''), count: readCount(fetched[1] ?? '') };
  const closed = CLOSE.exec(text)?.[1];
  return closed === undefined ? null : { kind: 'close', cursor: /^all$/i.test(closed) ? null : plainName(closed) };
}

/** Only quoted names have capitals. */
const plainName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();

function readCount(direction: string): number | null {
  const forward = /^(?:next|(?:forward\s*)?([1-9]\d{0,8}|all)?)$/i.exec(direction);
  if (forward === null) throw new Failure('invalid', 'Cursors only go forward.', { code: '55000' });
  const [, count = '1'] = forward;
  return /^all$/i.test(count) ? null : Number(count);
}
