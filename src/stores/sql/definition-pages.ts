/**
 * Pages of definitions, chosen by the database: a project may have very many. Names with a score come before or after all
 * others, which are sorted by name, so nothing has to be sorted but the names with a score.
 */
import { type RawBuilder, sql } from 'kysely';
import type { EventDefinitionFilter, NameOrder, PropertyDefinitionFilter } from '../metadata/definitions.ts';
import type { Page, Paged } from '../metadata/page.ts';
import type { SqlDialect } from './dialect.ts';
import { plainLower } from './groups.ts';
import type { Sql } from './tables.ts';

interface NamesToPage {
  table: 'event_definitions' | 'property_definitions';
  where: RawBuilder<unknown>;
}

export async function readDefinitionPage<Row>(
  { db, dialect }: Sql,
  { table, where }: NamesToPage,
  { scores, descending }: NameOrder,
  { limit, offset }: Page,
): Promise<Paged<Row>> {
  const from = sql.table(table);
  const total = await countRows(sql`${from} d where ${where}`);
  const direction = sql.raw(descending ? 'desc' : 'asc');
  const read = async (source: RawBuilder<unknown>, order: RawBuilder<unknown>, page: Page): Promise<Row[]> => {
    if (page.limit <= 0) return [];
    const bounds = sql`order by ${order} limit ${page.limit} offset ${page.offset}`;
    return (await sql<Row>`select d.* from ${source} ${bounds}`.execute(db)).rows;
  };
  if (scores === null || scores.size === 0) {
    const order = scores === null ? sql`d.name ${direction}` : sql`d.name`;
    return { count: total, items: await read(sql`${from} d where ${where}`, order, { limit, offset }) };
  }
  const scored = dialect.rows(
    { name: 'text', score: 'integer' },
    [...scores].map(([name, score]) => ({ name, score })),
  );
  const ranked = sql`${scored} r cross join ${from} d where d.name = r.name and ${where}`;
  const others = sql`${from} d where ${where} and d.name not in (select s.name from ${scored} s)`;
  const byScore = { source: ranked, order: sql`r.score ${direction}, d.name` };
  const byName = { source: others, order: sql`d.name` };
  const rankedCount = await countRows(ranked);
  const [first, second] = descending ? [byScore, byName] : [byName, byScore];
  const firstCount = descending ? rankedCount : total - rankedCount;
  const items = await read(first.source, first.order, { limit: Math.min(limit, firstCount - offset), offset });
  const rest = { limit: limit - items.length, offset: Math.max(0, offset - firstCount) };
  return { count: total, items: [...items, ...(await read(second.source, second.order, rest))] };

  async function countRows(source: RawBuilder<unknown>): Promise<number> {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${source}`.execute(db);
    return Number(rows[0]?.n ?? 0);
  }
}

const and = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(conditions, sql` and `);

const wordsIn = (dialect: SqlDialect, words: readonly string[]): RawBuilder<unknown>[] =>
  words.map((word) => sql`${dialect.contains(sql`lower(d.name)`, plainLower(word))}`);

const startsWith = (prefix: string): RawBuilder<unknown> => sql`substr(d.name, 1, ${prefix.length}) = ${prefix}`;

export const eventNames = (
  dialect: SqlDialect,
  projectId: number,
  { words, only }: EventDefinitionFilter,
): NamesToPage => ({
  table: 'event_definitions',
  where: and([
    sql`d.project_id = ${projectId}`,
    ...wordsIn(dialect, words),
    ...(only === undefined ? [] : [only === 'standard' ? startsWith('$') : sql`not ${startsWith('$')}`]),
  ]),
});

export function propertyNames(
  dialect: SqlDialect,
  projectId: number,
  { kind, groupTypeIndex, words, names, excluded, numerical, flags, seenOn }: PropertyDefinitionFilter,
): NamesToPage {
  const isFlag = startsWith('$feature/');
  const isNumerical = sql`coalesce(d.property_type, '') = 'Numeric'`;
  const onEvents = sql`exists (select 1 from event_properties p
    where p.project_id = d.project_id and p.event in (${sql.join(seenOn ?? [''])}) and p.property = d.name)`;
  const where = [
    sql`d.project_id = ${projectId} and d.kind = ${kind} and d.group_type_index = ${groupTypeIndex}`,
    ...wordsIn(dialect, words),
    ...(names === undefined ? [] : [sql`d.name in (${sql.join(names.length > 0 ? names : [''])})`]),
    ...(excluded.length === 0 ? [] : [sql`d.name not in (${sql.join(excluded)})`]),
    ...(numerical === undefined ? [] : [numerical ? isNumerical : sql`not ${isNumerical}`]),
    ...(flags === undefined ? [] : [flags ? isFlag : sql`not ${isFlag}`]),
    ...(seenOn === undefined ? [] : [onEvents]),
  ];
  return { table: 'property_definitions', where: and(where) };
}
