import type { Selectable } from 'kysely';
import type { FactorStore, Passkey, SpentTokenStore } from '../metadata/factors.ts';
import type { Sql, Tables } from './tables.ts';

const toPasskey = (row: Selectable<Tables['passkeys']>): Passkey => ({
  ...row,
  transports: JSON.parse(row.transports) as string[],
});

type TotpMethods = Pick<FactorStore, 'getTotp' | 'setTotp' | 'useTotpStep' | 'confirmTotp' | 'deleteTotp'>;
type PasskeyMethods = Pick<
  FactorStore,
  'createPasskey' | 'getPasskey' | 'listPasskeys' | 'updatePasskey' | 'deletePasskey'
>;
type CodeMethods = Pick<FactorStore, 'setRecoveryCodes' | 'useRecoveryCode' | 'countRecoveryCodes'>;

export function factorStore(sql: Sql): FactorStore {
  const { db } = sql;
  return {
    ...totpMethods(sql),
    ...passkeyMethods(sql),
    ...recoveryCodeMethods(sql),
    async deleteAll(userId) {
      for (const table of ['totpSecrets', 'passkeys', 'recoveryCodes'] as const) {
        await db.deleteFrom(table).where('userId', '=', userId).execute();
      }
    },
  };
}

const totpMethods = ({ db }: Sql): TotpMethods => ({
  async getTotp(userId) {
    return (await db.selectFrom('totpSecrets').selectAll().where('userId', '=', userId).executeTakeFirst()) ?? null;
  },
  async setTotp(secret) {
    await db.deleteFrom('totpSecrets').where('userId', '=', secret.userId).execute();
    await db.insertInto('totpSecrets').values(secret).execute();
  },
  async useTotpStep(userId, step) {
    const { numUpdatedRows } = await db
      .updateTable('totpSecrets')
      .set({ lastStep: step })
      .where('userId', '=', userId)
      .where('lastStep', '<', step)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  async confirmTotp(userId, confirmedAt) {
    await db.updateTable('totpSecrets').set({ confirmedAt }).where('userId', '=', userId).execute();
  },
  async deleteTotp(userId) {
    await db.deleteFrom('totpSecrets').where('userId', '=', userId).execute();
  },
});

const passkeyMethods = ({ db }: Sql): PasskeyMethods => ({
  async createPasskey(passkey) {
    await db
      .insertInto('passkeys')
      .values({ ...passkey, transports: JSON.stringify(passkey.transports) })
      .execute();
  },
  async getPasskey(id) {
    const row = await db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? toPasskey(row) : null;
  },
  async listPasskeys(userId) {
    const own = db.selectFrom('passkeys').selectAll().where('userId', '=', userId);
    return (await own.orderBy('createdAt').orderBy('id').execute()).map(toPasskey);
  },
  async updatePasskey(id, changes) {
    await db.updateTable('passkeys').set(changes).where('id', '=', id).execute();
  },
  async deletePasskey(userId, id) {
    const own = db.deleteFrom('passkeys').where('userId', '=', userId).where('id', '=', id);
    return (await own.executeTakeFirst()).numDeletedRows > 0n;
  },
});

const recoveryCodeMethods = ({ db }: Sql): CodeMethods => ({
  async setRecoveryCodes(userId, hashes) {
    await db.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
    if (hashes.length === 0) return;
    await db
      .insertInto('recoveryCodes')
      .values(hashes.map((hash) => ({ userId, hash })))
      .execute();
  },
  async useRecoveryCode(userId, hash) {
    const own = db.deleteFrom('recoveryCodes').where('userId', '=', userId).where('hash', '=', hash);
    return (await own.executeTakeFirst()).numDeletedRows > 0n;
  },
  async countRecoveryCodes(userId) {
    const row = await db
      .selectFrom('recoveryCodes')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('userId', '=', userId)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  },
});

export function spentTokenStore({ db }: Sql): SpentTokenStore {
  return {
    async spend(hash, expiresAt) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('spentTokens')
        .values({ hash, expiresAt })
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async deleteExpired(now) {
      await db.deleteFrom('spentTokens').where('expiresAt', '<=', now).execute();
    },
  };
}
