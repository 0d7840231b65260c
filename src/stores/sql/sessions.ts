/** Sessions of the console, links for a new password, and attempts to sign in. */
import type { Selectable } from 'kysely';
import type { Session, SignInMethod } from '../metadata/accounts.ts';
import type { PasswordResetStore, SessionStore, ThrottleStore } from '../metadata/metadata-store.ts';
import { compiled } from './compiled.ts';
import { type Sql, type Tables, toBit } from './tables.ts';

type SessionRow = Omit<Selectable<Tables['sessions']>, 'idToken'>;

/** Without the ID token, which is long: every request reads its session. */
const COLUMNS = [
  'hash',
  'id',
  'userId',
  'createdAt',
  'expiresAt',
  'lastSeenAt',
  'method',
  'hasFactor',
  'address',
  'userAgent',
  'sid',
] as const satisfies readonly (keyof SessionRow)[];

const toSession = (row: SessionRow): Session => ({
  ...row,
  method: row.method as SignInMethod,
  hasFactor: row.hasFactor === 1,
});

export function sessionStore({ db }: Sql): SessionStore {
  const byHash = compiled<SessionRow>(db, () => db.selectFrom('sessions').select(COLUMNS).where('hash', '=', ''));
  return {
    async create(session, idToken = null) {
      await db
        .insertInto('sessions')
        .values({ ...session, hasFactor: toBit(session.hasFactor), idToken })
        .execute();
    },
    async getIdToken(hash) {
      const row = await db.selectFrom('sessions').select('idToken').where('hash', '=', hash).executeTakeFirst();
      return row?.idToken ?? null;
    },
    async getByHash(hash) {
      const [row] = await byHash([hash]);
      return row ? toSession(row) : null;
    },
    async listByUser(userId, now) {
      const open = db.selectFrom('sessions').select(COLUMNS).where('userId', '=', userId).where('expiresAt', '>', now);
      return (await open.orderBy('lastSeenAt', 'desc').orderBy('id').execute()).map(toSession);
    },
    async setLastSeen(hash, lastSeenAt) {
      await db.updateTable('sessions').set({ lastSeenAt }).where('hash', '=', hash).execute();
    },
    async setHasFactor(hash, hasFactor) {
      await db
        .updateTable('sessions')
        .set({ hasFactor: toBit(hasFactor) })
        .where('hash', '=', hash)
        .execute();
    },
    async clearFactors(userId) {
      await db.updateTable('sessions').set({ hasFactor: 0 }).where('userId', '=', userId).execute();
    },
    async delete(hash) {
      await db.deleteFrom('sessions').where('hash', '=', hash).execute();
    },
    async deleteById(userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('sessions')
        .where('userId', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async deleteByUser(userId, exceptHash = '') {
      await db.deleteFrom('sessions').where('userId', '=', userId).where('hash', '!=', exceptHash).execute();
    },
    async deleteByProvider(userId, sid) {
      const own = db.deleteFrom('sessions').where('userId', '=', userId).where('method', '=', 'oidc');
      const { numDeletedRows } = await (sid === undefined ? own : own.where('sid', '=', sid)).executeTakeFirst();
      return Number(numDeletedRows);
    },
    async userOfSid(sid) {
      const row = await db.selectFrom('sessions').select('userId').where('sid', '=', sid).executeTakeFirst();
      return row === undefined ? null : Number(row.userId);
    },
    async deleteExpired(now) {
      await db.deleteFrom('sessions').where('expiresAt', '<=', now).execute();
    },
  };
}

export function passwordResetStore({ db }: Sql): PasswordResetStore {
  return {
    async create(reset) {
      await db.deleteFrom('passwordResets').where('userId', '=', reset.userId).execute();
      await db.insertInto('passwordResets').values(reset).execute();
    },
    async get(userId) {
      return (
        (await db.selectFrom('passwordResets').selectAll().where('userId', '=', userId).executeTakeFirst()) ?? null
      );
    },
    async delete(userId) {
      await db.deleteFrom('passwordResets').where('userId', '=', userId).execute();
    },
    async deleteExpired(now) {
      await db.deleteFrom('passwordResets').where('expiresAt', '<=', now).execute();
    },
  };
}

export function throttleStore({ db }: Sql): ThrottleStore {
  return {
    async get(name) {
      const row = await db.selectFrom('throttles').select('attempts').where('name', '=', name).executeTakeFirst();
      return row ? (JSON.parse(row.attempts) as number[]) : [];
    },
    async set(name, times, expiresAt) {
      const attempts = JSON.stringify(times);
      await db
        .insertInto('throttles')
        .values({ name, attempts, expiresAt })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ attempts, expiresAt }))
        .execute();
    },
    async delete(name) {
      await db.deleteFrom('throttles').where('name', '=', name).execute();
    },
    async deleteExpired(now) {
      await db.deleteFrom('throttles').where('expiresAt', '<=', now).execute();
    },
  };
}
