import type { Selectable } from 'kysely';
import type { FlagAccessLevel, GrantSource, ResourceAccess, Role, RoleMembership } from '../metadata/accounts.ts';
import type { ResourceAccessStore, RoleMembershipStore, RoleStore } from '../metadata/metadata-store.ts';
import { paged } from './paging.ts';
import type { Sql, Tables } from './tables.ts';

const toRole = (row: Selectable<Tables['roles']>): Role => ({
  ...row,
  featureFlagsAccessLevel: row.featureFlagsAccessLevel as FlagAccessLevel,
});

export function roleStore({ db }: Sql): RoleStore {
  const ofOrganization = (organizationId: string) =>
    db.selectFrom('roles').where('organizationId', '=', organizationId);
  return {
    async create(role) {
      await db.insertInto('roles').values(role).execute();
    },
    async get(organizationId, id) {
      const row = await ofOrganization(organizationId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toRole(row) : null;
    },
    async getByName(organizationId, name) {
      // Not compared in SQL: SQLite's lower() only knows ASCII. An organization has few roles.
      const wanted = name.toLowerCase();
      const rows = await ofOrganization(organizationId).selectAll().execute();
      const row = rows.find((role) => role.name.toLowerCase() === wanted);
      return row ? toRole(row) : null;
    },
    async list(organizationId, page) {
      return paged(ofOrganization(organizationId).selectAll().orderBy('name').orderBy('id'), page, toRole);
    },
    async update(id, changes) {
      await db.updateTable('roles').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('roleMemberships').where('roleId', '=', id).execute();
      await db.deleteFrom('featureFlagRoleAccess').where('roleId', '=', id).execute();
      await db.deleteFrom('roles').where('id', '=', id).execute();
    },
    async listByUser(organizationId, userId) {
      const rows = await db
        .selectFrom('roles')
        .innerJoin('roleMemberships', 'roleMemberships.roleId', 'roles.id')
        .selectAll('roles')
        .where('roles.organizationId', '=', organizationId)
        .where('roleMemberships.userId', '=', userId)
        .execute();
      return rows.map(toRole);
    },
  };
}

const toRoleMembership = (row: Selectable<Tables['roleMemberships']>): RoleMembership => ({
  ...row,
  source: row.source as GrantSource,
});

export function roleMembershipStore({ db }: Sql): RoleMembershipStore {
  return {
    async create(membership) {
      await db.insertInto('roleMemberships').values(membership).execute();
    },
    async get(roleId, id) {
      const row = await db
        .selectFrom('roleMemberships')
        .selectAll()
        .where('roleId', '=', roleId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? toRoleMembership(row) : null;
    },
    async getByUser(roleId, userId) {
      const row = await db
        .selectFrom('roleMemberships')
        .selectAll()
        .where('roleId', '=', roleId)
        .where('userId', '=', userId)
        .executeTakeFirst();
      return row ? toRoleMembership(row) : null;
    },
    async listByRoles(roleIds) {
      if (roleIds.length === 0) return [];
      const members = db.selectFrom('roleMemberships').selectAll().where('roleId', 'in', roleIds);
      return (await members.orderBy('joinedAt').orderBy('id').execute()).map(toRoleMembership);
    },
    async listByUser(userId) {
      const own = db.selectFrom('roleMemberships').selectAll().where('userId', '=', userId);
      return (await own.orderBy('joinedAt').orderBy('id').execute()).map(toRoleMembership);
    },
    async delete(id) {
      await db.deleteFrom('roleMemberships').where('id', '=', id).execute();
    },
  };
}

const toAccess = (row: Selectable<Tables['resourceAccess']>): ResourceAccess => ({
  ...row,
  accessLevel: row.accessLevel as FlagAccessLevel,
});

export function resourceAccessStore({ db }: Sql): ResourceAccessStore {
  const ofOrganization = (organizationId: string) =>
    db.selectFrom('resourceAccess').where('organizationId', '=', organizationId);
  return {
    async create(access) {
      await db.insertInto('resourceAccess').values(access).execute();
    },
    async get(organizationId, id) {
      const row = await ofOrganization(organizationId).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toAccess(row) : null;
    },
    async getByResource(organizationId, resource) {
      const row = await ofOrganization(organizationId).selectAll().where('resource', '=', resource).executeTakeFirst();
      return row ? toAccess(row) : null;
    },
    async list(organizationId, page) {
      return paged(ofOrganization(organizationId).selectAll().orderBy('resource'), page, toAccess);
    },
    async update(id, changes) {
      await db.updateTable('resourceAccess').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('resourceAccess').where('id', '=', id).execute();
    },
  };
}
