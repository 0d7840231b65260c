import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { openPostgresMetadataStore } from '../../src/stores/postgres/metadata-store.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { askServer, withDatabase } from './postgres.ts';

/** Once per run: starts the server and creates a template database with all migrations. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  const own = given ? null : await startOwnPostgres({ fsync: false }).catch(reportMissing);
  const url = given ?? own?.url ?? '';
  if (url === '') {
    project.provide('postgresUrl', '');
    return async () => undefined;
  }
  const template = `cairn_template_${randomBytes(6).toString('hex')}`;
  await askServer(url, `create database ${template} template template0`);
  const stores = await openPostgresMetadataStore(withDatabase(url, template), 0);
  await stores.metadata.close();
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', template);
  return async () => {
    await askServer(url, `drop database if exists ${template} with (force)`);
    await own?.stop();
  };
}

/** Tests that need PostgreSQL are then skipped: see `describeWithPostgres`. */
function reportMissing(error: unknown): null {
  console.warn(`PostgreSQL could not be started: ${String(error)}`);
  return null;
}
