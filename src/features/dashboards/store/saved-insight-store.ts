/** Saved insights, and who viewed them when. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly insights: SavedInsightStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    insights: {
      id: Generated<number>;
      projectId: number;
      shortId: string;
      name: string | null;
      derivedName: string | null;
      description: string;
      filters: string;
      query: string | null;
      order: number | null;
      saved: Flag;
      favorited: Flag;
      deleted: Flag;
      tags: string;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
      lastModifiedAt: number;
      lastModifiedBy: number | null;
    };
    insightViews: { projectId: number; userId: number; insightId: number; viewedAt: number };
  }
}

export interface SavedInsight {
  id: number;
  projectId: number;
  /** Eight letters and digits, unique in the project, for links. */
  shortId: string;
  name: string | null;
  /** A name made from the filters, by the client. */
  derivedName: string | null;
  description: string;
  /** As they were sent. */
  filters: JsonObject;
  /** A SQL statement with how it is drawn, as it was sent; null: the question is in the filters. */
  query: JsonObject | null;
  /** The position in a list, if one was set. */
  order: number | null;
  /** False: a draft. */
  saved: boolean;
  favorited: boolean;
  deleted: boolean;
  tags: string[];
  createdAt: number;
  createdBy: number | null;
  /** Any change. */
  updatedAt: number;
  /** The last change of name, description, filters or query. */
  lastModifiedAt: number;
  lastModifiedBy: number | null;
}

/** When a user last viewed an insight. */
interface InsightView {
  insightId: number;
  viewedAt: number;
}

interface SavedInsightStore {
  create(insight: Omit<SavedInsight, 'id'>): Promise<SavedInsight>;
  /** Also a deleted one. */
  get(projectId: number, id: number): Promise<SavedInsight | null>;
  /** Also deleted ones. */
  listByIds(projectId: number, ids: readonly number[]): Promise<SavedInsight[]>;
  getByShortId(projectId: number, shortId: string): Promise<SavedInsight | null>;
  /** Without deleted ones; last modified first. */
  listByProject(projectId: number): Promise<SavedInsight[]>;
  /** Only deleted ones; last modified first. */
  listDeleted(projectId: number): Promise<SavedInsight[]>;
  update(insight: SavedInsight): Promise<void>;
  /** Only the last view of each user and insight is kept. */
  recordView(projectId: number, insightId: number, userId: number, viewedAt: number): Promise<void>;
  /** The latest first. */
  listViewsByUser(projectId: number, userId: number): Promise<InsightView[]>;
}

const toInsight = (row: Selectable<Tables['insights']>): SavedInsight => ({
  ...row,
  id: Number(row.id),
  filters: parseStoredJson(row.filters) as JsonObject,
  query: row.query === null ? null : (parseStoredJson(row.query) as JsonObject),
  saved: row.saved === 1,
  favorited: row.favorited === 1,
  deleted: row.deleted === 1,
  tags: JSON.parse(row.tags),
});

const toColumns = (insight: Omit<SavedInsight, 'id'>): Insertable<Tables['insights']> => ({
  ...insight,
  filters: JSON.stringify(insight.filters),
  query: insight.query === null ? null : JSON.stringify(insight.query),
  saved: toBit(insight.saved),
  favorited: toBit(insight.favorited),
  deleted: toBit(insight.deleted),
  tags: JSON.stringify(insight.tags),
});

export function savedInsightStore({ db }: Sql): SavedInsightStore {
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
    async listDeleted(projectId) {
      const rows = await ofProject(projectId)
        .where('deleted', '=', 1)
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
