/** Names and texts as ClickHouse reads them. */
import { SqlRefusal } from './refusal.ts';

export const clickhouseText = (text: string): string => `'${escaped(text).replaceAll("'", "\\'")}'`;

/** Names are compared without regard to case, which ClickHouse does not do: so all are in lower case. */
export const quoteName = (name: string): string => `"${escaped(name.toLowerCase()).replaceAll('"', '\\"')}"`;

function escaped(text: string): string {
  if (text.includes('\0')) throw new SqlRefusal('syntax', 'The statement contains a NUL character.');
  return text.replaceAll('\\', '\\\\');
}

/** What both engines can do, but not in the same way. */
export const onlyInDuckDb = (what: string): SqlRefusal =>
  new SqlRefusal('syntax', `${what} cannot be used where events are in ClickHouse. See "ClickHouse" in the SQL guide.`);
