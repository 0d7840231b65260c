import {
  CamelCasePlugin,
  type DataTypeNode,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { IngestStore } from '../ingest/ingest-store.ts';
import type { MetadataStore } from '../metadata/metadata-store.ts';
import { type FeatureTables, NO_FEATURE_TABLES } from '../sql/feature-tables.ts';
import { sqlMetadataStore } from '../sql/metadata-store.ts';
import { migrateDatabase } from '../sql/migrate.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import type { Tables } from '../sql/tables.ts';
import { postgresIngestStore } from './ingest-store.ts';
import { personIndexReader } from './person-index-reader.ts';
import { kyselyPool, openPool, type PoolOptions } from './pool.ts';

const DEFAULT_POOL_OPTIONS: PoolOptions = { size: 10 };

/** Any number of nodes and threads may open it. */
export function openPostgresDatabase(url: string, options: PoolOptions = DEFAULT_POOL_OPTIONS): Kysely<Tables> {
  const pool = async () => kyselyPool(await openPool(url, options));
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => new PostgresDriver({ pool }),
      createQueryCompiler: () => new BinaryTextCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    plugins: [new CamelCasePlugin()],
  });
}

export interface PostgresStores {
  metadata: MetadataStore;
  /** For reading; workers open their own. */
  ingest: IngestStore;
  db: Kysely<Tables>;
}

/** Opens and migrates the database. Closing `metadata` closes everything. */
export async function openPostgresMetadataStore(
  url: string,
  now: number,
  options?: PoolOptions,
  own: FeatureTables = NO_FEATURE_TABLES,
): Promise<PostgresStores> {
  const db = openPostgresDatabase(url, options);
  try {
    await migrateDatabase(db as unknown as Kysely<unknown>, postgresDialect, now, own.migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const general = sqlMetadataStore(db, postgresDialect, own);
  const metadata: MetadataStore = {
    ...general,
    persons: { ...general.persons, listMatching: personIndexReader(db) },
  };
  return { metadata, ingest: postgresIngestStore(db), db };
}

/**
 * Text columns compare by bytes, whatever the database's collation: lists have the same order as in SQLite, and names
 * that differ in any byte are different.
 */
class BinaryTextCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text' && this.parentNode?.kind === 'ColumnDefinitionNode') this.append(' collate "C"');
  }
}
