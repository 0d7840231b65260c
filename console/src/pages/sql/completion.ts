/** What a name that is being typed could become. */
export interface Suggestion {
  text: string;
  kind: 'table' | 'column' | 'function' | 'keyword';
}

interface Schema {
  tables: readonly { name: string; columns: readonly { name: string }[] }[];
  functions: readonly string[];
}

const KEYWORDS = [
  ...['select', 'from', 'where', 'group by', 'order by', 'having', 'limit', 'offset', 'as', 'and', 'or', 'not', 'in'],
  ...['is null', 'is not null', 'between', 'like', 'case', 'when', 'then', 'else', 'end', 'distinct', 'with', 'join'],
  ...['left join', 'union all', 'asc', 'desc', 'over', 'partition by', 'interval'],
];
const MAX_SUGGESTIONS = 8;

export const quoteName = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`);

/** The name that ends at the cursor; null in a text, a number or a comment. */
export function wordAt(sql: string, cursor: number): { from: number; word: string } | null {
  const before = sql.slice(0, cursor);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const isInText = (before.match(/'/g)?.length ?? 0) % 2 === 1;
  if (isInText || line.includes('--')) return null;
  const word = /"?[A-Za-z_$][\w$]*$/.exec(before)?.[0] ?? '';
  return { from: cursor - word.length, word };
}

/** Names of tables that the statement mentions come first, with their columns. */
export function suggest(schema: Schema, sql: string, word: string): Suggestion[] {
  const start = word.replace(/^"/, '').toLowerCase();
  if (start === '') return [];
  const used = schema.tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  const columns = (used.length > 0 ? used : schema.tables).flatMap((table) => table.columns.map(({ name }) => name));
  const all: Suggestion[] = [
    ...columns.map((name) => ({ text: quoteName(name), kind: 'column' as const })),
    ...schema.tables.map(({ name }) => ({ text: name, kind: 'table' as const })),
    ...KEYWORDS.map((text) => ({ text, kind: 'keyword' as const })),
    ...schema.functions.map((text) => ({ text: `${text}(`, kind: 'function' as const })),
  ];
  const matches = all.filter(({ text }) => {
    const plain = text.replace(/^"|[("]$/g, '').toLowerCase();
    return plain !== start && (plain.startsWith(start) || plain.startsWith(`$${start}`));
  });
  return matches
    .filter(({ text }, at) => matches.findIndex((one) => one.text === text) === at)
    .slice(0, MAX_SUGGESTIONS);
}
