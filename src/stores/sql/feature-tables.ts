import type { FeatureStores } from '../metadata/metadata-store.ts';
import type { Migration } from './migration.ts';
import type { ProjectTable, Sql } from './tables.ts';

/** Tables that features own. `runtime` collects them from the manifests and passes them to the engines. */
export interface FeatureTables {
  /** Members of the metadata store; made anew for each transaction. */
  stores: { [S in keyof FeatureStores]?: (sql: Sql) => FeatureStores[S] };
  /** Numbered across the project, forward only; see `migrate.ts`. */
  migrations: readonly Migration[];
  /** Tables whose rows are deleted with their project. */
  projectTables: readonly ProjectTable[];
}

export const NO_FEATURE_TABLES: FeatureTables = { stores: {}, migrations: [], projectTables: [] };
