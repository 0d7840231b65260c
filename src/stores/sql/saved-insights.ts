import type { Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../core/json/json.ts';
import type { InsightStore, SavedInsight } from '../metadata/saved-insights.ts';
import { parseStoredJson } from './json-text.ts';
import { toBit as bit, type Sql, type Tables } from './tables.ts';

const toInsight = (row: Selectable<Tables['insights']>): SavedInsight => ({
  ...row,
  id: Number(row.id),
  filters: parseStoredJson(row.filters) as JsonObject,
  saved: row.saved === 1,
  favorited: row.favorited === 1,
  deleted: row.deleted === 1,
  tags: JSON.parse(row.tags),
});

const toColumns = (insight: Omit<SavedInsight, 'id'>): Insertable<Tables['insights']> => ({
  ...insight,
  filters: JSON.stringify(insight.filters),
  saved: bit(insight.saved),
  favorited: bit(insight.favorited),
  deleted: bit(insight.deleted),
  tags: JSON.stringify(insight.tags),
});

export function insightStore({ db }: Sql): InsightStore {
  const ofProject = (projectId: number) => db.selectFrom('insights').selectAll().where('projectId', '=', projectId);
  return {
    async create(insight) {
      const row = await db.insertInto('insights').values(toColumns(insight)).returningAll().executeTakeFirstOrThrow();
      return toInsight(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toInsight(row) : null;
    },
    async listByIds(projectId, ids) {
      if (ids.length === 0) return [];
      return (await ofProject(projectId).where('id', 'in', ids).orderBy('id').execute()).map(toInsight);
    },
    async getByShortId(projectId, shortId) {
      const row = await ofProject(projectId).where('shortId', '=', shortId).executeTakeFirst();
      return row ? toInsight(row) : null;
    },
    async listByProject(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 0)
        .orderBy('lastModifiedAt', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toInsight);
    },
    async update({ id, ...insight }) {
      await db.updateTable('insights').set(toColumns(insight)).where('id', '=', id).execute();
    },
    async recordView(projectId, insightId, userId, viewedAt) {
      await db
        .insertInto('insightViews')
        .values({ projectId, insightId, userId, viewedAt })
        .onConflict((conflict) => conflict.columns(['projectId', 'userId', 'insightId']).doUpdateSet({ viewedAt }))
        .execute();
    },
    async listViewsByUser(projectId, userId) {
      const rows = await db
        .selectFrom('insightViews')
        .select(['insightId', 'viewedAt'])
        .where('projectId', '=', projectId)
        .where('userId', '=', userId)
        .orderBy('viewedAt', 'desc')
        .orderBy('insightId', 'desc')
        .execute();
      return rows.map((row) => ({ insightId: Number(row.insightId), viewedAt: Number(row.viewedAt) }));
    },
  };
}
