/**
 * Flag overrides and cohort memberships of a person. A merge moves them and records what it moved, so that an undo can
 * restore them.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** What the source of a merge had; `gained` if the target did not have it before. Stored as JSON. */
interface PersonAttachments {
  overrides: { flagKey: string; identifier: string; gained: boolean }[];
  cohorts: { cohortId: number; gained: boolean }[];
}

type PersonId = RawBuilder<unknown>;

/** What the target already has stays: its first override of a flag wins. */
export async function moveAttachments(db: Db, source: PersonId, target: PersonId): Promise<PersonAttachments> {
  return { overrides: await moveOverrides(db, source, target), cohorts: await moveCohorts(db, source, target) };
}

async function moveOverrides(db: Db, source: PersonId, target: PersonId): Promise<PersonAttachments['overrides']> {
  const { rows } = await sql<{ flagKey: string; identifier: string }>`
    select flag_key, identifier from flag_overrides where person_id = ${source} order by flag_key`.execute(db);
  if (rows.length === 0) return [];
  const gained = await sql<{ flagKey: string }>`
    insert into flag_overrides (person_id, flag_key, project_id, identifier)
    select ${target}, flag_key, project_id, identifier from flag_overrides where person_id = ${source}
    on conflict do nothing
    returning flag_key`.execute(db);
  await sql`delete from flag_overrides where person_id = ${source}`.execute(db);
  const keys = new Set(gained.rows.map(({ flagKey }) => flagKey));
  return rows.map((row) => ({ ...row, gained: keys.has(row.flagKey) }));
}

async function moveCohorts(db: Db, source: PersonId, target: PersonId): Promise<PersonAttachments['cohorts']> {
  const { rows } = await sql<{ cohortId: number }>`
    select cohort_id from cohort_members where person_id = ${source} order by cohort_id`.execute(db);
  if (rows.length === 0) return [];
  const gained = await sql<{ cohortId: number }>`
    insert into cohort_members (cohort_id, person_id, project_id)
    select cohort_id, ${target}, project_id from cohort_members where person_id = ${source}
    on conflict do nothing
    returning cohort_id`.execute(db);
  await sql`delete from cohort_members where person_id = ${source}`.execute(db);
  const ids = new Set(gained.rows.map(({ cohortId }) => Number(cohortId)));
  return rows.map(({ cohortId }) => ({ cohortId: Number(cohortId), gained: ids.has(Number(cohortId)) }));
}

interface UndoneMerge {
  projectId: number;
  /** Ids of the persons, both of which exist again. */
  sourceId: number;
  targetId: number;
}

/** Gives the source back what it had; the target loses what it gained. */
export async function restoreAttachments(
  db: Db,
  { projectId, sourceId, targetId }: UndoneMerge,
  had: PersonAttachments,
): Promise<void> {
  for (const { flagKey, identifier, gained } of had.overrides) {
    if (gained) {
      await db
        .deleteFrom('flagOverrides')
        .where('personId', '=', targetId)
        .where('flagKey', '=', flagKey)
        .where('identifier', '=', identifier)
        .execute();
    }
    await db
      .insertInto('flagOverrides')
      .values({ personId: sourceId, flagKey, projectId, identifier })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  for (const { cohortId, gained } of had.cohorts) {
    const ofCohort = db.deleteFrom('cohortMembers').where('cohortId', '=', cohortId);
    if (gained) await ofCohort.where('personId', '=', targetId).execute();
    await db
      .insertInto('cohortMembers')
      .values({ cohortId, personId: sourceId, projectId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
