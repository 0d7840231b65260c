import { type RawBuilder, type Selectable, sql } from 'kysely';
import { MAX_GROUP_TYPES } from '../../core/events/groups.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { GroupQuery, GroupStore, StoredGroup } from '../metadata/groups.ts';
import type { Sql, Tables } from './tables.ts';

type Row = Pick<Selectable<Tables['groups']>, 'typeIndex' | 'groupKey' | 'properties' | 'createdAt'>;
const COLUMNS = ['typeIndex', 'groupKey', 'properties', 'createdAt'] as const;
/** Named in a condition, so that the primary key is used. */
const TYPE_INDEXES = Array.from({ length: MAX_GROUP_TYPES }, (_, index) => index);

const toGroup = ({ typeIndex, groupKey, properties, createdAt }: Row): StoredGroup => ({
  typeIndex,
  key: groupKey,
  properties: parseExact(properties),
  createdAt: Number(createdAt),
});

export function groupStore(on: Sql): GroupStore {
  const { db } = on;
  const groups = (projectId: number, typeIndex: number) =>
    db.selectFrom('groups').select(COLUMNS).where('projectId', '=', projectId).where('typeIndex', '=', typeIndex);
  return {
    async listTypes(projectId) {
      const rows = await db
        .selectFrom('groupTypes')
        .select(['typeIndex as index', 'name', 'nameSingular', 'namePlural'])
        .where('projectId', '=', projectId)
        .orderBy('typeIndex')
        .execute();
      return rows;
    },
    async updateType(projectId, index, names) {
      if (Object.keys(names).length === 0) return;
      await db
        .updateTable('groupTypes')
        .set(names)
        .where('projectId', '=', projectId)
        .where('typeIndex', '=', index)
        .execute();
    },
    async get(projectId, typeIndex, key) {
      const row = await groups(projectId, typeIndex).where('groupKey', '=', key).executeTakeFirst();
      return row ? toGroup(row) : null;
    },
    async list(projectId, typeIndex, query) {
      const isBackwards = query.from?.direction === 'before';
      const rows = await groups(projectId, typeIndex)
        .$if(query.from !== undefined, (q) => q.where(isBeyond(query.from)))
        .$if(query.search !== undefined, (q) => q.where(isFound(on, query.search ?? '')))
        .orderBy('createdAt', isBackwards ? 'asc' : 'desc')
        .orderBy('groupKey', isBackwards ? 'desc' : 'asc')
        .limit(query.limit)
        .execute();
      return (isBackwards ? rows.reverse() : rows).map(toGroup);
    },
    async delete(projectId, keys) {
      if (keys.length === 0) return 0;
      const { numDeletedRows } = await db
        .deleteFrom('groups')
        .where('projectId', '=', projectId)
        .where('typeIndex', 'in', TYPE_INDEXES)
        .where('groupKey', 'in', keys)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
    countProperties: (projectId, typeIndex, among) => countProperties(on, newest(projectId, typeIndex, among)),
    countValues: (projectId, typeIndex, property, among) =>
      countValues(on, newest(projectId, typeIndex, among), property),
  };
}

/** The first half of each condition uses the index. */
function isBeyond(from: GroupQuery['from']): RawBuilder<boolean> {
  const { createdAt = 0, key = '' } = from?.cursor ?? {};
  return from?.direction === 'before'
    ? sql`created_at >= ${createdAt} and (created_at > ${createdAt} or group_key < ${key})`
    : sql`created_at <= ${createdAt} and (created_at < ${createdAt} or group_key > ${key})`;
}

/** SQLite's `lower` only knows ASCII letters: other letters match case-sensitively. */
function isFound({ dialect }: Sql, search: string): RawBuilder<boolean> {
  const contains = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`${dialect.contains(sql`lower(${column})`, plainLower(search))}`;
  return sql`(${contains(sql`group_key`)} or ${contains(sql`properties`)})`;
}

/** As SQLite's lower() does it: only Latin letters. */
export const plainLower = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

const newest = (projectId: number, typeIndex: number, among: number): RawBuilder<unknown> => sql`
  (select properties from "groups"
  where project_id = ${projectId} and type_index = ${typeIndex}
  order by created_at desc, group_key
  limit ${among})`;

async function countProperties({ db, dialect }: Sql, among: RawBuilder<unknown>) {
  const { from, key } = dialect.jsonEntries(sql`g.properties`, 'e');
  const { rows } = await sql<{ name: string; count: number }>`
    select ${key} as name, count(*) as count
    from ${among} g
    cross join ${from}
    group by 1
    order by 2 desc, 1`.execute(db);
  return rows.map(({ name, count }) => ({ name, count: Number(count) }));
}

async function countValues({ db, dialect }: Sql, among: RawBuilder<unknown>, property: string) {
  const { from, key, value } = dialect.jsonEntries(sql`g.properties`, 'e');
  const { rows } = await sql<{ value: string; count: number }>`
    select ${value} as value, count(*) as count
    from ${among} g
    cross join ${from}
    where ${key} = ${property}
    group by 1`.execute(db);
  return rows.map(({ value: text, count }) => ({ value: text, count: Number(count) }));
}
