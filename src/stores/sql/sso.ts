import type { Selectable } from 'kysely';
import type { DomainStore, OrganizationDomain, SsoIdentityStore } from '../metadata/sso.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

export function ssoIdentityStore({ db }: Sql): SsoIdentityStore {
  const ofIssuer = (issuer: string) => db.selectFrom('ssoIdentities').selectAll().where('issuer', '=', issuer);
  return {
    async create(identity) {
      await db.insertInto('ssoIdentities').values(identity).execute();
    },
    async get(issuer, subject) {
      return (await ofIssuer(issuer).where('subject', '=', subject).executeTakeFirst()) ?? null;
    },
    async getByUser(issuer, userId) {
      return (await ofIssuer(issuer).where('userId', '=', userId).executeTakeFirst()) ?? null;
    },
  };
}

const toDomain = (row: Selectable<Tables['organizationDomains']>): OrganizationDomain => ({
  ...row,
  autoJoin: row.autoJoin === 1,
  enforced: row.enforced === 1,
});

export function domainStore({ db }: Sql): DomainStore {
  return {
    async create({ autoJoin, enforced, ...rest }) {
      const row = { ...rest, autoJoin: toBit(autoJoin), enforced: toBit(enforced) };
      await db.insertInto('organizationDomains').values(row).execute();
    },
    async get(organizationId, id) {
      const own = db.selectFrom('organizationDomains').selectAll().where('organizationId', '=', organizationId);
      const row = await own.where('id', '=', id).executeTakeFirst();
      return row ? toDomain(row) : null;
    },
    async list(organizationId) {
      const own = db.selectFrom('organizationDomains').selectAll().where('organizationId', '=', organizationId);
      return (await own.orderBy('domain').execute()).map(toDomain);
    },
    async getVerified(domain) {
      const row = await db
        .selectFrom('organizationDomains')
        .selectAll()
        .where('domain', '=', domain)
        .where('verifiedAt', 'is not', null)
        .executeTakeFirst();
      return row ? toDomain(row) : null;
    },
    async update(id, { autoJoin, enforced, ...rest }) {
      const changes = {
        ...rest,
        ...(autoJoin === undefined ? {} : { autoJoin: toBit(autoJoin) }),
        ...(enforced === undefined ? {} : { enforced: toBit(enforced) }),
      };
      await db.updateTable('organizationDomains').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('organizationDomains').where('id', '=', id).execute();
    },
  };
}
