import type { Selectable } from 'kysely';
import type { PersonalKey, Session, User } from '../metadata/accounts.ts';
import type { PersonalKeyStore, SessionStore, UserStore } from '../metadata/metadata-store.ts';
import { compiled } from './compiled.ts';
import { flag, type Sql, type Tables } from './tables.ts';

type UserRow = Selectable<Tables['users']>;

const toUser = (row: UserRow): User => ({
  ...row,
  id: Number(row.id),
  isActive: row.isActive === 1,
});

/** Each request of the private API asks who is asking: that question, and the ones by hash below, are compiled. */
export function userStore({ db }: Sql): UserStore {
  const byId = compiled<UserRow>(db, () => db.selectFrom('users').selectAll().where('id', '=', 0));
  const one = async (column: 'uuid' | 'email', value: string): Promise<User | null> => {
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
    async byId(id) {
      const [row] = await byId([id]);
      return row ? toUser(row) : null;
    },
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
  const byHash = compiled<PersonalKey>(db, () => db.selectFrom('personalApiKeys').selectAll().where('hash', '=', ''));
  return {
    async add(key) {
      await db.insertInto('personalApiKeys').values(key).execute();
    },
    async byHash(hash) {
      return (await byHash([hash]))[0] ?? null;
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
  const byHash = compiled<Session>(db, () => db.selectFrom('sessions').selectAll().where('hash', '=', ''));
  return {
    async add(session) {
      await db.insertInto('sessions').values(session).execute();
    },
    async byHash(hash) {
      return (await byHash([hash]))[0] ?? null;
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
