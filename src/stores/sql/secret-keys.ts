import type { Selectable } from 'kysely';
import type { ProjectSecretKey } from '../metadata/accounts.ts';
import type { SecretKeyStore } from '../metadata/metadata-store.ts';
import type { Sql, Tables } from './tables.ts';

const toSecretKey = (row: Selectable<Tables['projectSecretKeys']>): ProjectSecretKey => ({
  ...row,
  projectId: Number(row.projectId),
  createdAt: Number(row.createdAt),
  createdBy: row.createdBy === null ? null : Number(row.createdBy),
  rolledAt: row.rolledAt === null ? null : Number(row.rolledAt),
});

export function secretKeyStore({ db }: Sql): SecretKeyStore {
  return {
    async create(key) {
      await db.insertInto('projectSecretKeys').values(key).execute();
    },
    async listByProject(projectId) {
      const rows = await db
        .selectFrom('projectSecretKeys')
        .selectAll()
        .where('projectId', '=', projectId)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .execute();
      return rows.map(toSecretKey);
    },
    async update(id, changes) {
      await db.updateTable('projectSecretKeys').set(changes).where('id', '=', id).execute();
    },
    async delete(id) {
      await db.deleteFrom('projectSecretKeys').where('id', '=', id).execute();
    },
  };
}
