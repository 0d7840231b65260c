/** Holdouts: people whom no experiment of theirs reaches. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import type { Sql, Tables } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly holdouts: HoldoutStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    experimentHoldouts: {
      id: Generated<number>;
      projectId: number;
      name: string;
      description: string;
      filters: string;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
  }
}

export interface ExperimentHoldout {
  id: number;
  projectId: number;
  name: string;
  description: string;
  /** Groups as flags have them, with the share of people that is held out. */
  filters: JsonObject[];
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

interface HoldoutStore {
  create(holdout: Omit<ExperimentHoldout, 'id'>): Promise<ExperimentHoldout>;
  get(projectId: number, id: number): Promise<ExperimentHoldout | null>;
  /** Newest first. */
  listByProject(projectId: number): Promise<ExperimentHoldout[]>;
  update(holdout: ExperimentHoldout): Promise<void>;
  delete(projectId: number, id: number): Promise<void>;
}

const toHoldout = (row: Selectable<Tables['experimentHoldouts']>): ExperimentHoldout => ({
  ...row,
  id: Number(row.id),
  filters: parseStoredJson(row.filters) as JsonObject[],
});

const toColumns = (holdout: Omit<ExperimentHoldout, 'id'>): Insertable<Tables['experimentHoldouts']> => ({
  ...holdout,
  filters: JSON.stringify(holdout.filters),
});

export function holdoutStore({ db }: Sql): HoldoutStore {
  const ofProject = (projectId: number) =>
    db.selectFrom('experimentHoldouts').selectAll().where('projectId', '=', projectId);
  return {
    async create(holdout) {
      const row = await db
        .insertInto('experimentHoldouts')
        .values(toColumns(holdout))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toHoldout(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toHoldout(row) : null;
    },
    async listByProject(projectId) {
      return (await ofProject(projectId).orderBy('id', 'desc').execute()).map(toHoldout);
    },
    async update({ id, ...holdout }) {
      await db.updateTable('experimentHoldouts').set(toColumns(holdout)).where('id', '=', id).execute();
    },
    async delete(projectId, id) {
      await db.deleteFrom('experimentHoldouts').where('projectId', '=', projectId).where('id', '=', id).execute();
    },
  };
}
