/** Early access features. Times are in ms UTC. */
import type { Selectable } from 'kysely';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';
import type { Stage } from '../rules/enrollment.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly earlyAccessFeatures: EarlyAccessStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    earlyAccessFeatures: Omit<EarlyAccessFeature, 'payload'> & { payload: string };
  }
}

export interface EarlyAccessFeature {
  id: string;
  projectId: number;
  flagId: number;
  name: string;
  description: string;
  stage: Stage;
  documentationUrl: string;
  /** What the page of the application shows beside the feature. */
  payload: JsonObject;
  createdBy: number | null;
  createdAt: number;
  updatedAt: number;
}

interface EarlyAccessStore {
  create(feature: EarlyAccessFeature): Promise<void>;
  get(projectId: number, id: string): Promise<EarlyAccessFeature | null>;
  getByFlag(projectId: number, flagId: number): Promise<EarlyAccessFeature | null>;
  /** The newest first. */
  listByProject(projectId: number): Promise<EarlyAccessFeature[]>;
  update(feature: EarlyAccessFeature): Promise<void>;
  delete(projectId: number, id: string): Promise<void>;
}

const toFeature = (row: Selectable<Tables['earlyAccessFeatures']>): EarlyAccessFeature => ({
  ...row,
  payload: parseStoredJson(row.payload) as JsonObject,
});

const toColumns = (feature: EarlyAccessFeature): Tables['earlyAccessFeatures'] => ({
  ...feature,
  payload: stringifyExact(feature.payload),
});

export function earlyAccessStore({ db }: Sql): EarlyAccessStore {
  const ofProject = (projectId: number) =>
    db.selectFrom('earlyAccessFeatures').selectAll().where('projectId', '=', projectId);
  return {
    async create(feature) {
      await db.insertInto('earlyAccessFeatures').values(toColumns(feature)).execute();
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toFeature(row) : null;
    },
    async getByFlag(projectId, flagId) {
      const row = await ofProject(projectId).where('flagId', '=', flagId).executeTakeFirst();
      return row ? toFeature(row) : null;
    },
    async listByProject(projectId) {
      const rows = await ofProject(projectId).orderBy('createdAt', 'desc').orderBy('id', 'desc').execute();
      return rows.map(toFeature);
    },
    async update(feature) {
      const { id, ...columns } = toColumns(feature);
      await db.updateTable('earlyAccessFeatures').set(columns).where('id', '=', id).execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('earlyAccessFeatures').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}
