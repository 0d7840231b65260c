/**
 * Ids that broken clients send for everybody at once: merging through one of them would melt strangers into one person.
 * They block merging only; events under such an id are stored like any other.
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

/** `Nan` and `NULL` may be somebody's name; these exact spellings are what languages print for 'nothing'. */
const EXACT = ['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined'];

const quoted = (id: string): string[] => [id, `'${id}'`, `"${id}"`];

const ANY_CASE_SET: ReadonlySet<string> = new Set(IN_ANY_CASE.flatMap(quoted));
const EXACT_SET: ReadonlySet<string> = new Set(EXACT.flatMap(quoted));

export const isIllegalId = (id: string): boolean =>
  EXACT_SET.has(id) || ANY_CASE_SET.has(id.toLowerCase()) || id.trim() === '';
