/** What a property of groups is, as text, for each group: by which numbers are divided. */

import type { PropertyBreakdown } from '../core/actions/breakdown.ts';
import { Failure } from '../core/errors.ts';
import { propertyText } from '../core/events/hot-properties.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { SqlBuilder } from '../stores/events/dialect.ts';
import type { GroupStore } from '../stores/metadata/groups.ts';
import { groupPages } from './filters/related-filter.ts';

/** By the property; groups that lack it are left out. */
export type GroupPropertyValues = ReadonlyMap<string, readonly { group: string; value: string }[]>;

const MAX_GROUPS = 200_000;

export async function findGroupPropertyValues(
  groups: GroupStore,
  projectId: number,
  { keys, groupIndex }: PropertyBreakdown,
): Promise<GroupPropertyValues> {
  const texts = new Map(keys.map((key) => [key, [] as { group: string; value: string }[]]));
  let looked = 0;
  for await (const page of groupPages(groups, projectId, groupIndex ?? 0)) {
    looked += page.length;
    if (looked > MAX_GROUPS) throw tooMany();
    for (const { uuid: group, properties } of page) {
      const own = JSON.parse(properties) as JsonObject;
      for (const [key, list] of texts) {
        if (Object.hasOwn(own, key)) list.push({ group, value: propertyText(own[key]) ?? 'null' });
      }
    }
  }
  return texts;
}

const tooMany = (): Failure =>
  new Failure('invalid', `Numbers are divided by up to ${MAX_GROUPS} groups; this project has more.`, {
    attr: 'breakdown_type',
  });

/** A table of `group_key` and `value`. */
export const groupPropertyValuesSql = (sql: SqlBuilder, texts: GroupPropertyValues, key: string): string =>
  `(select r."group" as group_key, r.value from ${sql.rows(['group', 'value'], texts.get(key) ?? [])} r)`;
