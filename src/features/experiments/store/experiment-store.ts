/** Experiments. Times are in ms UTC. */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import { type Sql, type Tables, toBit } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly experiments: ExperimentStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    experiments: {
      id: Generated<number>;
      projectId: number;
      flagId: number;
      name: string;
      description: string;
      settings: string;
      startDate: number | null;
      endDate: number | null;
      archived: Flag;
      deleted: Flag;
      createdAt: number;
      createdBy: number | null;
      updatedAt: number;
    };
  }
}

export interface Experiment {
  id: number;
  projectId: number;
  flagId: number;
  name: string;
  description: string;
  /** Metrics, exposure criteria, statistics and plan, as the API has them; `rules/` interprets them. */
  settings: JsonObject;
  /** Null: a draft. */
  startDate: number | null;
  endDate: number | null;
  archived: boolean;
  deleted: boolean;
  createdAt: number;
  createdBy: number | null;
  updatedAt: number;
}

interface ExperimentStore {
  create(experiment: Omit<Experiment, 'id'>): Promise<Experiment>;
  /** Also a deleted one. */
  get(projectId: number, id: number): Promise<Experiment | null>;
  /** Without deleted ones, newest first. */
  listByProject(projectId: number): Promise<Experiment[]>;
  /** Of all projects: started, not ended, not deleted. */
  listRunning(now: number): Promise<Experiment[]>;
  update(experiment: Experiment): Promise<void>;
}

const toExperiment = (row: Selectable<Tables['experiments']>): Experiment => ({
  ...row,
  id: Number(row.id),
  flagId: Number(row.flagId),
  settings: parseStoredJson(row.settings) as JsonObject,
  archived: row.archived === 1,
  deleted: row.deleted === 1,
});

const toColumns = (experiment: Omit<Experiment, 'id'>): Insertable<Tables['experiments']> => ({
  ...experiment,
  settings: JSON.stringify(experiment.settings),
  archived: toBit(experiment.archived),
  deleted: toBit(experiment.deleted),
});

export function experimentStore({ db }: Sql): ExperimentStore {
  const ofProject = (projectId: number) => db.selectFrom('experiments').selectAll().where('projectId', '=', projectId);
  return {
    async create(experiment) {
      const row = await db
        .insertInto('experiments')
        .values(toColumns(experiment))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toExperiment(row);
    },
    async get(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst();
      return row ? toExperiment(row) : null;
    },
    async listByProject(projectId) {
      const rows = await ofProject(projectId).where('deleted', '=', 0).orderBy('id', 'desc').execute();
      return rows.map(toExperiment);
    },
    async listRunning(now) {
      const rows = await db
        .selectFrom('experiments')
        .selectAll()
        .where('deleted', '=', 0)
        .where('startDate', '<=', now)
        .where('endDate', 'is', null)
        .orderBy('id')
        .execute();
      return rows.map(toExperiment);
    },
    async update({ id, ...experiment }) {
      await db.updateTable('experiments').set(toColumns(experiment)).where('id', '=', id).execute();
    },
  };
}
