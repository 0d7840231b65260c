import type { Selectable } from 'kysely';
import type { PersonalKey, User } from '../metadata/accounts.ts';
import type { PersonalKeyChanges, PersonalKeyStore, UserStore } from '../metadata/metadata-store.ts';
import { compiled } from './compiled.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

type UserRow = Selectable<Tables['users']>;

const toUser = (row: UserRow): User => ({
  ...row,
  id: Number(row.id),
  isActive: row.isActive === 1,
  isBreakGlass: row.isBreakGlass === 1,
});

/** Every request of the private API looks up its user, so these lookups are compiled. */
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
        .values({ ...user, isActive: toBit(user.isActive), isBreakGlass: toBit(user.isBreakGlass) })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toUser(row);
    },
    async get(id) {
      const [row] = await byId([id]);
      return row ? toUser(row) : null;
    },
    getByUuid: (uuid) => one('uuid', uuid),
    getByEmail: (email) => one('email', email.toLowerCase()),
    async listByIds(ids) {
      if (ids.length === 0) return [];
      return (await db.selectFrom('users').selectAll().where('id', 'in', ids).execute()).map(toUser);
    },
    async listAll() {
      return (await db.selectFrom('users').selectAll().orderBy('id').execute()).map(toUser);
    },
    async update(id, { isActive, isBreakGlass, ...rest }) {
      const changes = {
        ...rest,
        ...(isActive === undefined ? {} : { isActive: toBit(isActive) }),
        ...(isBreakGlass === undefined ? {} : { isBreakGlass: toBit(isBreakGlass) }),
      };
      await db.updateTable('users').set(changes).where('id', '=', id).execute();
    },
  };
}

type KeyRow = Selectable<Tables['personalApiKeys']>;

const toKey = (row: KeyRow): PersonalKey => ({
  ...row,
  scopes: JSON.parse(row.scopes),
  projectIds: JSON.parse(row.projectIds),
  organizationIds: JSON.parse(row.organizationIds),
});

const LISTS = ['scopes', 'projectIds', 'organizationIds'] as const;

/** Lists as JSON; everything else as it is. */
function toKeyColumns(key: PersonalKeyChanges): Partial<KeyRow> {
  const { scopes: _, projectIds: __, organizationIds: ___, ...columns } = key;
  const lists = LISTS.flatMap((name) => (key[name] === undefined ? [] : [[name, JSON.stringify(key[name])]]));
  return { ...columns, ...Object.fromEntries(lists) };
}

const MAX_NETWORKS_PER_KEY = 1000;

async function forgetOldestNetworks(db: Sql['db'], keyId: string): Promise<void> {
  const networks = db.selectFrom('personalKeyNetworks').select('network').where('keyId', '=', keyId);
  const [oldestKept] = await networks
    .select('firstUsedAt')
    .orderBy('firstUsedAt', 'desc')
    .offset(MAX_NETWORKS_PER_KEY - 1)
    .limit(1)
    .execute();
  if (oldestKept === undefined) return;
  await db
    .deleteFrom('personalKeyNetworks')
    .where('keyId', '=', keyId)
    .where('firstUsedAt', '<', oldestKept.firstUsedAt)
    .execute();
}

export function personalKeyStore({ db }: Sql): PersonalKeyStore {
  const byHash = compiled<KeyRow>(db, () => db.selectFrom('personalApiKeys').selectAll().where('hash', '=', ''));
  return {
    async create(key) {
      await db
        .insertInto('personalApiKeys')
        .values({ ...key, ...toKeyColumns(key) } as KeyRow)
        .execute();
    },
    async getByHash(hash) {
      const [row] = await byHash([hash]);
      return row ? toKey(row) : null;
    },
    async get(userId, id) {
      const row = await db
        .selectFrom('personalApiKeys')
        .selectAll()
        .where('id', '=', id)
        .where('userId', '=', userId)
        .executeTakeFirst();
      return row ? toKey(row) : null;
    },
    async listByUser(userId) {
      const rows = db
        .selectFrom('personalApiKeys')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('id');
      return (await rows.execute()).map(toKey);
    },
    async setLastUsed(id, lastUsedAt, lastUsedFrom) {
      await db.updateTable('personalApiKeys').set({ lastUsedAt, lastUsedFrom }).where('id', '=', id).execute();
    },
    async addNetwork(keyId, network, firstUsedAt) {
      const { numInsertedOrUpdatedRows: added = 0n } = await db
        .insertInto('personalKeyNetworks')
        .values({ keyId, network, firstUsedAt })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (added === 0n) return false;
      await forgetOldestNetworks(db, keyId);
      return true;
    },
    async update(id, changes) {
      await db.updateTable('personalApiKeys').set(toKeyColumns(changes)).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('personalKeyNetworks').where('keyId', '=', id).execute();
      await db.deleteFrom('personalApiKeys').where('id', '=', id).execute();
    },
    async deleteExpired(before) {
      const expired = db.selectFrom('personalApiKeys').select('id').where('expiresAt', '<', before);
      await db.deleteFrom('personalKeyNetworks').where('keyId', 'in', expired).execute();
      await db.deleteFrom('personalApiKeys').where('expiresAt', '<', before).execute();
    },
  };
}
