import type { Selectable } from 'kysely';
import type { PersonalKeyStore, SessionStore, UserStore } from '../metadata-store.ts';
import type { User } from '../records.ts';
import { flag, type Sql, type Tables } from './tables.ts';

const toUser = (row: Selectable<Tables['users']>): User => ({
  ...row,
  id: Number(row.id),
  isActive: row.isActive === 1,
});

export function userStore({ db }: Sql): UserStore {
  const one = async (column: 'id' | 'uuid' | 'email', value: string | number): Promise<User | null> => {
    const row = await db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst();
    return row ? toUser(row) : null;
  };
  return {
    async create(user) {
      const row = await db
        .insertInto('users')
        .values({ ...user, isActive: flag(user.isActive) })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toUser(row);
    },
    byId: (id) => one('id', id),
    byUuid: (uuid) => one('uuid', uuid),
    byEmail: (email) => one('email', email.toLowerCase()),
    async byIds(ids) {
      if (ids.length === 0) return [];
      return (await db.selectFrom('users').selectAll().where('id', 'in', ids).execute()).map(toUser);
    },
    async list() {
      return (await db.selectFrom('users').selectAll().orderBy('id').execute()).map(toUser);
    },
    async update(id, { isActive, ...rest }) {
      const changes = { ...rest, ...(isActive === undefined ? {} : { isActive: flag(isActive) }) };
      await db.updateTable('users').set(changes).where('id', '=', id).execute();
    },
  };
}

export function personalKeyStore({ db }: Sql): PersonalKeyStore {
  return {
    async add(key) {
      await db.insertInto('personalApiKeys').values(key).execute();
    },
    async byHash(hash) {
      return (await db.selectFrom('personalApiKeys').selectAll().where('hash', '=', hash).executeTakeFirst()) ?? null;
    },
    async find(userId, id) {
      const key = await db
        .selectFrom('personalApiKeys')
        .selectAll()
        .where('id', '=', id)
        .where('userId', '=', userId)
        .executeTakeFirst();
      return key ?? null;
    },
    ofUser: (userId) =>
      db
        .selectFrom('personalApiKeys')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute(),
    async touch(id, lastUsedAt) {
      await db.updateTable('personalApiKeys').set({ lastUsedAt }).where('id', '=', id).execute();
    },
    async remove(id) {
      await db.deleteFrom('personalApiKeys').where('id', '=', id).execute();
    },
  };
}

export function sessionStore({ db }: Sql): SessionStore {
  return {
    async add(session) {
      await db.insertInto('sessions').values(session).execute();
    },
    async byHash(hash) {
      return (await db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst()) ?? null;
    },
    async remove(hash) {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
    async removeOfUser(userId, exceptHash = '') {
      await db.deleteFrom('sessions').where('userId', '=', userId).where('hash', '!=', exceptHash).execute();
    },
    async removeExpired(now) {
      await db.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
    },
  };
}
