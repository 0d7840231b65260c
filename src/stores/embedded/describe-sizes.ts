/** Where the bytes of a SQLite file go, for people. */
import type Database from 'better-sqlite3';

const MB = 1024 * 1024;

/** The first that matches a table's name. */
const KINDS: readonly (readonly [kind: string, tables: RegExp])[] = [
  ['ids of events', /^(seen_|event_repeats$)/],
  ['persons', /person/],
  ['definitions', /definitions$|^event_properties$/],
];
const OTHER = 'other';

const inMb = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** With indexes; largest first. Reads the whole file. */
export function describeSizes(database: Database.Database): string {
  const tables = database
    .prepare<[], { name: string; bytes: number }>(
      `select coalesce(s.tbl_name, d.name) as name, sum(d.pgsize) as bytes
      from dbstat d left join sqlite_schema s on s.name = d.name
      where d.aggregate = true group by 1`,
    )
    .all();
  const sizes = new Map<string, number>();
  for (const { name, bytes } of tables) {
    const kind = KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? OTHER;
    sizes.set(kind, (sizes.get(kind) ?? 0) + bytes);
  }
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  sizes.set('free', pragma('freelist_count') * pragma('page_size'));
  return [...sizes]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, bytes]) => `${kind} ${inMb(bytes)}`)
    .join(', ');
}
