import type { Selectable } from 'kysely';
import type { Membership, MembershipLevel, Organization } from '../metadata/accounts.ts';
import { OWNER } from '../metadata/accounts.ts';
import type { MembershipStore, OrganizationStore } from '../metadata/metadata-store.ts';
import { compiled } from './compiled.ts';
import { paged } from './paging.ts';
import { type ProjectTable, type Sql, type Tables, toBit } from './tables.ts';

type OrganizationRow = Selectable<Tables['organizations']>;

const toOrganization = (row: OrganizationRow): Organization => ({
  ...row,
  requiresFactor: row.requiresFactor === 1,
  allowsSharing: row.allowsSharing === 1,
});

export function organizationStore({ db }: Sql, projectTables: readonly ProjectTable[]): OrganizationStore {
  return {
    async create(organization) {
      const row = {
        ...organization,
        requiresFactor: toBit(organization.requiresFactor),
        allowsSharing: toBit(organization.allowsSharing),
      };
      await db.insertInto('organizations').values(row).execute();
    },
    async get(id) {
      const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toOrganization(row) : null;
    },
    async getBySlug(slug) {
      const row = await db.selectFrom('organizations').selectAll().where('slug', '=', slug).executeTakeFirst();
      return row ? toOrganization(row) : null;
    },
    async listByUser(userId, page) {
      const mine = db
        .selectFrom('organizations')
        .innerJoin('memberships', 'memberships.organizationId', 'organizations.id')
        .where('memberships.userId', '=', userId);
      return paged(
        mine.selectAll('organizations').orderBy('memberships.joinedAt').orderBy('organizations.id'),
        page,
        toOrganization,
      );
    },
    async count() {
      const row = await db
        .selectFrom('organizations')
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
    async getOnly() {
      const [row, ...others] = await db.selectFrom('organizations').selectAll().limit(2).execute();
      return row && others.length === 0 ? toOrganization(row) : null;
    },
    async requireFactorOf(userId) {
      const row = await db
        .selectFrom('organizations')
        .innerJoin('memberships', 'memberships.organizationId', 'organizations.id')
        .select('organizations.id')
        .where('memberships.userId', '=', userId)
        .where('organizations.requiresFactor', '=', 1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async update(id, { requiresFactor, allowsSharing, ...rest }) {
      const changes = {
        ...rest,
        ...(requiresFactor === undefined ? {} : { requiresFactor: toBit(requiresFactor) }),
        ...(allowsSharing === undefined ? {} : { allowsSharing: toBit(allowsSharing) }),
      };
      await db.updateTable('organizations').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      const roles = db.selectFrom('roles').select('id').where('organizationId', '=', id);
      await db.deleteFrom('roleMemberships').where('roleId', 'in', roles).execute();
      await db.deleteFrom('roles').where('organizationId', '=', id).execute();
      await db.deleteFrom('resourceAccess').where('organizationId', '=', id).execute();
      await db.deleteFrom('memberships').where('organizationId', '=', id).execute();
      await db.deleteFrom('invites').where('organizationId', '=', id).execute();
      await db.deleteFrom('organizationDomains').where('organizationId', '=', id).execute();
      await db.deleteFrom('activity').where('organizationId', '=', id).execute();
      const projects = db.selectFrom('projects').select('id').where('organizationId', '=', id);
      for (const table of projectTables) await db.deleteFrom(table).where('projectId', 'in', projects).execute();
      await db.deleteFrom('projects').where('organizationId', '=', id).execute();
      await db.deleteFrom('organizations').where('id', '=', id).execute();
    },
  };
}

type MembershipRow = Selectable<Tables['memberships']>;

const toMembership = (row: MembershipRow): Membership => ({
  ...row,
  level: row.level as MembershipLevel,
  ownLevel: row.ownLevel as MembershipLevel | null,
});

export function membershipStore({ db }: Sql): MembershipStore {
  const ofUser = compiled<MembershipRow>(db, () =>
    db.selectFrom('memberships').selectAll().where('userId', '=', 0).orderBy('joinedAt').orderBy('organizationId'),
  );
  return {
    async create(membership) {
      await db.insertInto('memberships').values(membership).execute();
    },
    async get(organizationId, userId) {
      const row = await db
        .selectFrom('memberships')
        .selectAll()
        .where('organizationId', '=', organizationId)
        .where('userId', '=', userId)
        .executeTakeFirst();
      return row ? toMembership(row) : null;
    },
    listByUser: async (userId) => (await ofUser([userId])).map(toMembership),
    async list(organizationId, page) {
      const members = db.selectFrom('memberships').where('organizationId', '=', organizationId);
      return paged(members.selectAll().orderBy('joinedAt').orderBy('userId'), page, toMembership);
    },
    async countOwners(organizationId) {
      const row = await db
        .selectFrom('memberships')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('organizationId', '=', organizationId)
        .where('level', '=', OWNER)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
    async update(id, changes) {
      await db.updateTable('memberships').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      const membership = await db.selectFrom('memberships').selectAll().where('id', '=', id).executeTakeFirst();
      if (!membership) return;
      const roles = db.selectFrom('roles').select('id').where('organizationId', '=', membership.organizationId);
      await db
        .deleteFrom('roleMemberships')
        .where('userId', '=', membership.userId)
        .where('roleId', 'in', roles)
        .execute();
      await db.deleteFrom('memberships').where('id', '=', id).execute();
    },
  };
}
