/** What a copy of a project for SQL has beside its events: distinct ids, groups and cohorts, read in pages. */
import type { CopySource } from '../events/project-copy.ts';
import type { Sql } from './tables.ts';

const PAGE = 10_000;

export const sqlCopySource = ({ db }: Sql): CopySource => ({
  async *distinctIds(projectId) {
    for (let after = 0; ; ) {
      const rows = await db
        .selectFrom('personDistinctIds as d')
        .innerJoin('persons as p', 'p.id', 'd.personId')
        .select(['d.id', 'd.distinctId', 'p.uuid as personUuid', 'p.isIdentified'])
        .where('d.projectId', '=', projectId)
        .where('d.id', '>', after)
        .orderBy('d.id')
        .limit(PAGE)
        .execute();
      yield rows.map(({ isIdentified, ...row }) => ({ ...row, isIdentified: isIdentified === 1 }));
      if (rows.length < PAGE) return;
      after = Number(rows.at(-1)?.id);
    }
  },
  async *groups(projectId) {
    const types = await db.selectFrom('groupTypes').selectAll().where('projectId', '=', projectId).execute();
    for (const { typeIndex, name } of types) {
      for (let after = ''; ; ) {
        const rows = await db
          .selectFrom('groups')
          .select(['typeIndex', 'groupKey as key', 'createdAt', 'properties'])
          .where('projectId', '=', projectId)
          .where('typeIndex', '=', typeIndex)
          .where('groupKey', '>', after)
          .orderBy('groupKey')
          .limit(PAGE)
          .execute();
        yield rows.map((row) => ({ ...row, type: name }));
        if (rows.length < PAGE) break;
        after = rows.at(-1)?.key ?? '';
      }
    }
  },
  async cohorts(projectId) {
    const rows = await db
      .selectFrom('cohorts')
      .select(['id', 'name', 'isStatic', 'count', 'lastCalculation'])
      .where('projectId', '=', projectId)
      .where('deleted', '=', 0)
      .execute();
    return rows.map((row) => ({ ...row, id: Number(row.id), isStatic: row.isStatic === 1 }));
  },
  async *members(projectId) {
    for (let after = { cohortId: 0, personId: 0 }; ; ) {
      const rows = await db
        .selectFrom('cohortMembers as m')
        .innerJoin('persons as p', 'p.id', 'm.personId')
        .innerJoin('cohorts as c', 'c.id', 'm.cohortId')
        .select(['m.cohortId', 'm.personId', 'p.uuid as personUuid'])
        .where('m.projectId', '=', projectId)
        .where('c.deleted', '=', 0)
        .where((where) =>
          where.or([
            where('m.cohortId', '>', after.cohortId),
            where.and([where('m.cohortId', '=', after.cohortId), where('m.personId', '>', after.personId)]),
          ]),
        )
        .orderBy('m.cohortId')
        .orderBy('m.personId')
        .limit(PAGE)
        .execute();
      yield rows;
      const last = rows.at(-1);
      if (rows.length < PAGE || last === undefined) return;
      after = last;
    }
  },
});
