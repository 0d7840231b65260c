/** Group properties in expressions. Groups are in the metadata store, so their values are joined to the events. */

import { Failure } from '../../core/errors.ts';
import { propertyText } from '../../core/events/hot-properties.ts';
import type { Property, PropertyPath } from '../../core/expressions/typed-expression.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { GroupStore } from '../../stores/metadata/groups.ts';
import { groupPages } from '../filters/related-filter.ts';

/** By group type: the properties that are read, and their values for each group. */
export type GroupValues = ReadonlyMap<number, { paths: readonly string[]; rows: readonly Record<string, string>[] }>;

const MAX_GROUPS = 200_000;

export async function findGroupValues(
  groups: GroupStore,
  projectId: number,
  properties: readonly Property[],
): Promise<GroupValues> {
  const found = new Map<number, { paths: string[]; rows: Record<string, string>[] }>();
  for (const index of new Set(properties.map(({ groupIndex }) => groupIndex))) {
    const own = properties.filter(({ groupIndex }) => groupIndex === index);
    const paths = [...new Set(own.map(({ path }) => JSON.stringify(path)))];
    found.set(index, { paths, rows: await readRows(groups, projectId, index, paths) });
  }
  return found;
}

async function readRows(
  groups: GroupStore,
  projectId: number,
  index: number,
  paths: readonly string[],
): Promise<Record<string, string>[]> {
  const parsed = paths.map((path) => JSON.parse(path) as PropertyPath);
  const rows: Record<string, string>[] = [];
  for await (const page of groupPages(groups, projectId, index)) {
    if (rows.length + page.length > MAX_GROUPS) throw tooMany();
    for (const { uuid: key, properties } of page) {
      const own = JSON.parse(properties) as JsonObject;
      const values = parsed.map((path, at) => [`v${at}`, marked(propertyText(valueAt(own, path)))]);
      rows.push({ key, ...Object.fromEntries(values) });
    }
  }
  return rows;
}

const tooMany = (): Failure =>
  new Failure('invalid', `Expressions about groups support up to ${MAX_GROUPS} groups; this project has more.`, {
    attr: 'properties',
  });

/** Rows have texts only: a mark tells an empty text from none. */
const marked = (text: string | null): string => (text === null ? '' : `=${text}`);

function valueAt(own: Json, path: PropertyPath): Json | undefined {
  let value: Json | undefined = own;
  for (const part of path) {
    if (typeof part === 'number') value = Array.isArray(value) ? value[part - 1] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

const tableName = (index: number): string => `expression_groups${Number(index)}`;

/** The joins that `groupValueSql` needs; events are read as `e`. */
export const groupValueJoins = (sql: SqlBuilder, values: GroupValues): string =>
  [...values]
    .map(([index, { paths, rows }]) => {
      const table = sql.rows(['key', ...paths.map((_, at) => `v${at}`)], rows);
      return `left join ${table} ${tableName(index)} on ${tableName(index)}.key = e.group_${Number(index)}`;
    })
    .join(' ');

export function groupValueSql(values: GroupValues, { groupIndex, path }: Property): string {
  const at = values.get(groupIndex)?.paths.indexOf(JSON.stringify(path)) ?? -1;
  const column = `${tableName(groupIndex)}.v${at}`;
  return `(case when ${column} <> '' then substring(${column}, 2) end)`;
}
