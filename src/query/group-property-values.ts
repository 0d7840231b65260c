/** The values of group properties, for breakdowns by them. */

import type { PropertyBreakdown } from '../core/actions/breakdown.ts';
import { Failure } from '../core/errors.ts';
import { propertyText } from '../core/events/hot-properties.ts';
import { parseExact } from '../core/json/exact-json.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { SqlBuilder } from '../stores/events/dialect.ts';
import type { GroupStore } from '../stores/metadata/groups.ts';
import { groupPages } from './filters/related-filter.ts';

/** By property; without the groups that lack it. */
export type GroupPropertyValues = ReadonlyMap<string, readonly { group: string; value: string }[]>;

const MAX_GROUPS = 200_000;

export async function findGroupPropertyValues(
  groups: GroupStore,
  projectId: number,
  { keys, groupIndex }: PropertyBreakdown,
): Promise<GroupPropertyValues> {
  const texts = new Map(keys.map((key) => [key, [] as { group: string; value: string }[]]));
  let count = 0;
  for await (const page of groupPages(groups, projectId, groupIndex ?? 0)) {
    count += page.length;
    if (count > MAX_GROUPS) throw tooMany();
    for (const { uuid: group, properties } of page) {
      const own = parseExact(properties) as JsonObject;
      for (const [key, list] of texts) {
        if (Object.hasOwn(own, key)) list.push({ group, value: propertyText(own[key]) ?? 'null' });
      }
    }
  }
  return texts;
}

const tooMany = (): Failure =>
  new Failure(
    'invalid',
    `A breakdown by a group property supports up to ${MAX_GROUPS} groups; this project has more.`,
    {
      attr: 'breakdown_type',
    },
  );

/** A table with the columns `group_key` and `value`. */
export const groupPropertyValuesSql = (sql: SqlBuilder, texts: GroupPropertyValues, key: string): string =>
  `(select r."group" as group_key, r.value from ${sql.rows(['group', 'value'], texts.get(key) ?? [])} r)`;
