/** Members of cohorts in queries about events. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CohortFilter } from '../../core/filters/cohort-filter.ts';
import { type IdSet, inChunks } from '../../lib/id-set.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** By the cohort's id; null where there is no such cohort. */
export type CohortUuids = ReadonlyMap<number, readonly string[] | null>;

const BATCH_SIZE = 2000;

export async function personUuidsOf(
  { cohortMembers }: Pick<MetadataStore, 'cohortMembers'>,
  projectId: number,
  set: IdSet,
): Promise<string[]> {
  const uuids: string[] = [];
  for (const ids of inChunks(set, BATCH_SIZE)) {
    for (const uuid of await cohortMembers.listUuids(projectId, ids)) uuids.push(uuid);
    await nextTurn();
  }
  return uuids;
}

/** A condition on a column with current person ids; true or false, never null. */
export function cohortSql(
  sql: SqlBuilder,
  cohorts: CohortUuids,
  { id, negated }: CohortFilter,
  column: string,
): string {
  const uuids = cohorts.get(id) ?? null;
  if (uuids === null) return 'false';
  if (uuids.length === 0) return String(negated);
  const rows = sql.rows(
    ['uuid'],
    uuids.map((uuid) => ({ uuid })),
  );
  return `(${column} ${negated ? 'not in' : 'in'} (select cast(r.uuid as UUID) from ${rows} r))`;
}
