/**
 * A real PostgreSQL for the tests of `TESTS=scale`: the one at DATABASE_URL, or one of our own that lives as long as the
 * run. Each test gets a database to itself, a copy of one that has been brought to this version's shape.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, it } from 'vitest';
import { openPostgresMetadataStore, type PostgresStores } from '../../src/stores/postgres/metadata-store.ts';
import type { FeatureTables } from '../../src/stores/sql/feature-tables.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where databases may be created; '' if there is no PostgreSQL. */
    postgresUrl: string;
    /** The database that new ones are copies of. */
    postgresTemplate: string;
  }
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

export async function askServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export const withDatabase = (url: string, name: string): string => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
};

/** Tests that need PostgreSQL; without one they are reported as skipped, with how to get one in the name. */
export function describeWithPostgres(define: () => void): void {
  if (inject('postgresUrl') !== '') define();
  else it.skip('no PostgreSQL: run `npm ci` for the bundled one, or set DATABASE_URL', () => undefined);
}

/** `empty`: without any table. */
export async function freshDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const template = empty ? 'template0' : inject('postgresTemplate');
  const name = `cairn_test_${randomBytes(6).toString('hex')}`;
  await askServer(server, `create database ${name} template ${template}`);
  return {
    url: withDatabase(server, name),
    drop: () => askServer(server, `drop database if exists ${name} with (force)`),
  };
}

export interface PostgresSetup extends PostgresStores {
  database: TestDatabase;
  remove(): Promise<void>;
}

/** A metadata store in a database of its own. */
export async function openPostgresSetup(tables?: FeatureTables): Promise<PostgresSetup> {
  const database = await freshDatabase();
  const stores = await openPostgresMetadataStore(database.url, 0, { size: 4 }, tables);
  const remove = async (): Promise<void> => {
    await stores.metadata.close();
    await database.drop();
  };
  return { ...stores, database, remove };
}
