import { MAX_DISTINCT_ID_LENGTH } from '../events/distinct-id.ts';

/**
 * Ids that broken clients send for many users: merging by one of them would make unrelated users one person. They only
 * prevent merges; events with such an id are stored like any other.
 */
const IN_ANY_CASE = [
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false',
];

/** Case-sensitive: `Nan` may be a name, but `NaN` is what languages print for no number. */
const EXACT = ['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined'];

const quoted = (id: string): string[] => [id, `'${id}'`, `"${id}"`];

const ANY_CASE_SET: ReadonlySet<string> = new Set(IN_ANY_CASE.flatMap(quoted));
const EXACT_SET: ReadonlySet<string> = new Set(EXACT.flatMap(quoted));

export const isIllegalId = (id: string): boolean =>
  EXACT_SET.has(id) || ANY_CASE_SET.has(id.toLowerCase()) || id.trim() === '' || isContainer(id);

/** A list or object that was sent instead of an id: the same for all users of the app that sent it. */
function isContainer(id: string): boolean {
  if (!id.startsWith('{') && !id.startsWith('[')) return false;
  // Cut off, so it cannot be parsed.
  if (id.length >= MAX_DISTINCT_ID_LENGTH) return true;
  try {
    JSON.parse(id);
    return true;
  } catch {
    return false;
  }
}
