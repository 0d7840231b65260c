import type { Insertable, Selectable } from 'kysely';
import type { BucketingIdentifier, EvaluationRuntime } from '../../core/flag-options.ts';
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { FeatureFlag, FlagRoleAccessStore, FlagStore } from '../metadata/flags.ts';
import { parseStoredJson } from './json-text.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

const toFlag = (row: Selectable<Tables['featureFlags']>): FeatureFlag => ({
  ...row,
  id: Number(row.id),
  // A flag with damaged filters fails alone.
  filters: parseStoredJson(row.filters) as JsonObject,
  active: row.active === 1,
  deleted: row.deleted === 1,
  ensureExperienceContinuity: row.ensureExperienceContinuity === 1,
  rollbackConditions: parseExact(row.rollbackConditions),
  performedRollback: row.performedRollback === null ? null : row.performedRollback === 1,
  tags: JSON.parse(row.tags),
  isRemoteConfiguration: row.isRemoteConfiguration === 1,
  promotedFrom: row.promotedFrom === null ? null : JSON.parse(row.promotedFrom),
  evaluationRuntime: row.evaluationRuntime as EvaluationRuntime,
  bucketingIdentifier: row.bucketingIdentifier as BucketingIdentifier,
});

const toColumns = (flag: Omit<FeatureFlag, 'id'>): Insertable<Tables['featureFlags']> => ({
  ...flag,
  filters: stringifyExact(flag.filters),
  active: toBit(flag.active),
  deleted: toBit(flag.deleted),
  ensureExperienceContinuity: toBit(flag.ensureExperienceContinuity),
  rollbackConditions: stringifyExact(flag.rollbackConditions),
  performedRollback: flag.performedRollback === null ? null : toBit(flag.performedRollback),
  tags: JSON.stringify(flag.tags),
  isRemoteConfiguration: toBit(flag.isRemoteConfiguration),
  promotedFrom: flag.promotedFrom === null ? null : JSON.stringify(flag.promotedFrom),
});

export function flagStore({ db }: Sql): FlagStore {
  const ofProject = (projectId: number) => db.selectFrom('featureFlags').selectAll().where('projectId', '=', projectId);
  const insertVersion = async (flag: FeatureFlag): Promise<void> => {
    const { id: flagId, version, projectId } = flag;
    await db
      .insertInto('featureFlagVersions')
      .values({ flagId, version, projectId, flag: stringifyExact(flag) })
      .execute();
  };
  return {
    async create(flag) {
      const row = await db.insertInto('featureFlags').values(toColumns(flag)).returningAll().executeTakeFirstOrThrow();
      const created = toFlag(row);
      await insertVersion(created);
      return created;
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toFlag(row) : null;
    },
    async getByKey(projectId, key) {
      const row = await ofProject(projectId).where('key', '=', key).where('deleted', '=', 0).executeTakeFirst();
      return row ? toFlag(row) : null;
    },
    async listByProject(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 0)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toFlag);
    },
    async listDeleted(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 1)
        .orderBy('updatedAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toFlag);
    },
    async listWithRollbackConditions() {
      const rows = await db
        .selectFrom('featureFlags')
        .selectAll()
        .where('deleted', '=', 0)
        .where('active', '=', 1)
        .where('rollbackConditions', 'not in', ['null', '[]', '{}'])
        .orderBy('id')
        .execute();
      return rows.map(toFlag);
    },
    async update(flag) {
      const { id, ...rest } = flag;
      await db.updateTable('featureFlags').set(toColumns(rest)).where('id', '=', id).execute();
      await insertVersion(flag);
    },
    async purgeDeleted(projectId, key) {
      const deleted = db
        .selectFrom('featureFlags')
        .select('id')
        .where('projectId', '=', projectId)
        .where('key', '=', key)
        .where('deleted', '=', 1);
      await db.deleteFrom('featureFlagRoleAccess').where('flagId', 'in', deleted).execute();
      await db.deleteFrom('featureFlags').where('id', 'in', deleted).execute();
    },
    async listVersions(projectId, id) {
      const rows = await db
        .selectFrom('featureFlagVersions')
        .select('flag')
        .where('projectId', '=', projectId)
        .where('flagId', '=', id)
        .orderBy('version')
        .execute();
      return rows.map((row) => parseExact(row.flag));
    },
    async listAllVersions(projectId) {
      const rows = await db
        .selectFrom('featureFlagVersions')
        .select('flag')
        .where('projectId', '=', projectId)
        .orderBy('flagId')
        .orderBy('version')
        .execute();
      return rows.map((row) => parseExact(row.flag));
    },
  };
}

export function flagRoleAccessStore({ db }: Sql): FlagRoleAccessStore {
  const ofFlag = (flagId: number) => db.selectFrom('featureFlagRoleAccess').selectAll().where('flagId', '=', flagId);
  return {
    async create(access) {
      return db.insertInto('featureFlagRoleAccess').values(access).returningAll().executeTakeFirstOrThrow();
    },
    async get(flagId, id) {
      return (await ofFlag(flagId).where('id', '=', id).executeTakeFirst()) ?? null;
    },
    listByFlag: (flagId) => ofFlag(flagId).orderBy('id').execute(),
    async listByRoles(roleIds) {
      if (roleIds.length === 0) return [];
      const rows = await db
        .selectFrom('featureFlagRoleAccess')
        .innerJoin('featureFlags', 'featureFlags.id', 'featureFlagRoleAccess.flagId')
        .selectAll('featureFlagRoleAccess')
        .select(['featureFlags.key as flagKey', 'featureFlags.deleted as flagDeleted'])
        .where('roleId', 'in', roleIds)
        .orderBy('featureFlagRoleAccess.id')
        .execute();
      return rows.map(({ flagDeleted, ...row }) => ({ ...row, isDeleted: flagDeleted === 1 }));
    },
    async delete(id) {
      await db.deleteFrom('featureFlagRoleAccess').where('id', '=', id).execute();
    },
  };
}
