/** Metrics that several experiments use. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly savedMetrics: SavedMetricStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    experimentSavedMetrics: {
      id: Generated<number>;
      projectId: number;
      name: string;
      description: string;
      query: string;
      tags: string;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
  }
}

export interface SavedMetric {
  id: number;
  projectId: number;
  name: string;
  description: string;
  /** The metric, as an experiment has it. */
  query: JsonObject;
  tags: string[];
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

interface SavedMetricStore {
  create(metric: Omit<SavedMetric, 'id'>): Promise<SavedMetric>;
  get(projectId: number, id: number): Promise<SavedMetric | null>;
  /** Newest first. */
  listByProject(projectId: number): Promise<SavedMetric[]>;
  update(metric: SavedMetric): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}

const toMetric = (row: Selectable<Tables['experimentSavedMetrics']>): SavedMetric => ({
  ...row,
  id: Number(row.id),
  query: parseStoredJson(row.query) as JsonObject,
  tags: parseStoredJson(row.tags) as string[],
});

const toColumns = (metric: Omit<SavedMetric, 'id'>): Insertable<Tables['experimentSavedMetrics']> => ({
  ...metric,
  query: JSON.stringify(metric.query),
  tags: JSON.stringify(metric.tags),
});

export function savedMetricStore({ db }: Sql): SavedMetricStore {
  const ofProject = (projectId: number) =>
    db.selectFrom('experimentSavedMetrics').selectAll().where('projectId', '=', projectId);
  return {
    async create(metric) {
      const row = await db
        .insertInto('experimentSavedMetrics')
        .values(toColumns(metric))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toMetric(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toMetric(row) : null;
    },
    async listByProject(projectId) {
      return (await ofProject(projectId).orderBy('id', 'desc').execute()).map(toMetric);
    },
    async update({ id, ...metric }) {
      await db.updateTable('experimentSavedMetrics').set(toColumns(metric)).where('id', '=', id).execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('experimentSavedMetrics').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}
