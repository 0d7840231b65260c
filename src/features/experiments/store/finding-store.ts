/** What was found in an experiment, and when first: kept, whatever the numbers say later. Times are in ms UTC. */
import type { JsonObject } from '../../../core/json/json.ts';
import { parseStoredJson } from '../../../stores/sql/json-text.ts';
import type { Sql } from '../../../stores/sql/tables.ts';

declare module '../../../stores/metadata/metadata-store.ts' {
  interface FeatureStores {
    readonly experimentFindings: FindingStore;
  }
}

declare module '../../../stores/sql/tables.ts' {
  interface Tables {
    experimentFindings: {
      projectId: number;
      experimentId: number;
      key: string;
      foundAt: number;
      value: string;
    };
  }
}

export interface ExperimentFinding {
  projectId: number;
  experimentId: number;
  /** What it is about; the first one of a key stays. */
  key: string;
  foundAt: number;
  value: JsonObject;
}

interface FindingStore {
  create(findings: readonly ExperimentFinding[]): Promise<void>;
  listByExperiment(projectId: number, experimentId: number): Promise<ExperimentFinding[]>;
  deleteByExperiment(projectId: number, experimentId: number): Promise<void>;
}

export function findingStore({ db }: Sql): FindingStore {
  return {
    async create(findings) {
      if (findings.length === 0) return;
      await db
        .insertInto('experimentFindings')
        .values(findings.map((finding) => ({ ...finding, value: JSON.stringify(finding.value) })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async listByExperiment(projectId, experimentId) {
      const rows = await db
        .selectFrom('experimentFindings')
        .selectAll()
        .where('projectId', '=', projectId)
        .where('experimentId', '=', experimentId)
        .orderBy('key')
        .execute();
      return rows.map((row) => ({
        ...row,
        experimentId: Number(row.experimentId),
        value: parseStoredJson(row.value) as JsonObject,
      }));
    },
    async deleteByExperiment(projectId, experimentId) {
      await db
        .deleteFrom('experimentFindings')
        .where('projectId', '=', projectId)
        .where('experimentId', '=', experimentId)
        .execute();
    },
  };
}
