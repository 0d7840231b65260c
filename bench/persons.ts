/**
 * How fast persons are found, beside the same look-up in bare SQLite, and whether the server stays awake meanwhile.
 *
 *   npm run bench:persons [-- --persons 1000000 --ids 150000]
 *
 * Each question is asked several times; the median counts. 'CPU' is what the server spent on one, which other work on
 * the machine does not change. 'stall' is the longest that a small request waited beside it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { type RunningProcess, startProcess } from './lib/processes.ts';

const { values: flags } = parseArgs({
  options: { persons: { type: 'string', default: '100000' }, ids: { type: 'string', default: '150000' } },
});
const PERSONS = Number(flags.persons);
const MANY_IDS = Number(flags.ids);
const KEY = 'phx_bench_personal_key';
const ROUNDS = 5;

const uuidOf = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Twenty properties, as a web site leaves them. */
const propertiesOf = (n: number): string =>
  JSON.stringify({
    email: `User${n}@example.org`,
    name: `Somebody Number ${n}`,
    plan: n % 4 === 0 ? 'pro' : 'free',
    rare: n === 7 ? 'yes' : 'no',
    seats: n % 100,
    $browser: ['Chrome', 'Firefox', 'Safari'][n % 3],
    $os: ['Windows', 'Mac OS X', 'Linux'][n % 3],
    $initial_referrer: 'https://www.example.org/somewhere',
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`property_${i}`, `value ${(n * (i + 1)) % 977}`])),
  });

function fill(path: string): void {
  const db = new Database(path);
  const person = db.prepare(
    `insert into persons (id, project_id, uuid, created_at, properties, is_identified, version)
    values (?, 1, ?, ?, ?, 1, 0)`,
  );
  const id = db.prepare(
    'insert into person_distinct_ids (project_id, distinct_id, person_id, version) values (1, ?, ?, 0)',
  );
  db.transaction(() => {
    for (let n = 1; n <= PERSONS; n++) {
      person.run(n, uuidOf(n), 1_700_000_000_000 + n * 37, propertiesOf(n));
      for (const kind of ['user', 'device', 'browser']) id.run(`${kind}-${n}`, n);
    }
    for (let n = 0; n < MANY_IDS; n++) id.run(`many-${n}`, 1);
  })();
  db.close();
}

async function ask(server: RunningProcess, path: string): Promise<number> {
  const before = performance.now();
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  for await (const _ of response.body ?? []) {
    // Only the time counts.
  }
  return performance.now() - before;
}

/** The longest that anybody else waits meanwhile. */
async function withStall<T>(server: RunningProcess, work: () => Promise<T>): Promise<{ result: T; stall: number }> {
  let [on, stall] = [true, 0];
  const pinging = (async () => {
    while (on) {
      const before = performance.now();
      await (await fetch(`${server.url}/_livez`)).text();
      stall = Math.max(stall, performance.now() - before);
    }
  })();
  const result = await work();
  on = false;
  await pinging;
  return { result, stall };
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;

const P = '/api/projects/1/persons/';
const having = (key: string, value: unknown, operator = 'exact'): string =>
  `${P}?properties=${encodeURIComponent(JSON.stringify([{ key, value, operator, type: 'person' }]))}`;

const QUESTIONS: [string, string, (string | number)[]?][] = [
  ['first page', P, ['select * from persons where project_id = 1 order by created_at desc, uuid limit 100']],
  ['page at offset 10,000', `${P}?offset=10000`],
  [
    'one person by uuid',
    `${P}${uuidOf(PERSONS >> 1)}/`,
    ['select * from persons where uuid = ?', uuidOf(PERSONS >> 1)],
  ],
  [
    'by distinct id',
    `${P}?distinct_id=device-5`,
    [
      `select p.* from person_distinct_ids d join persons p on p.id = d.person_id
      where d.project_id = 1 and d.distinct_id = ?`,
      'device-5',
    ],
  ],
  [
    'by e-mail',
    `${P}?email=User5@example.org`,
    ['select * from persons where project_id = 1 and email = ?', '"User5@example.org"'],
  ],
  ['search: distinct id', `${P}?search=device-5`],
  ['search: whole e-mail', `${P}?search=user5@example.org`],
  ['search: part that many have', `${P}?search=example`],
  ['filter that a quarter fits', having('plan', 'pro')],
  ['filter that one of all fits', having('rare', 'yes')],
  ['filter that nobody fits', having('seats', 100, 'gt')],
  ['pattern that nobody fits', having('name', '^Nobody$', 'regex')],
  ['properties', `${P}properties/`],
  ['values', `${P}values/?key=plan`],
  [`one person with ${MANY_IDS} ids`, `${P}1/`],
];

/** Microseconds of the same look-up, once everything is warm. */
function bare(path: string, [sql, ...values]: (string | number)[]): number {
  const db = new Database(path, { readonly: true });
  const statement = db.prepare(String(sql));
  const times = Array.from({ length: 200 }, () => {
    const before = performance.now();
    statement.all(...values);
    return performance.now() - before;
  });
  db.close();
  return median(times);
}

async function main(dataDir: string): Promise<void> {
  const env = { DATA_DIR: dataDir, PORT: '0', INIT_PERSONAL_API_KEY: KEY, LOG_LEVEL: 'warn' };
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  const server = await startProcess(['scripts/start.js', '--built'], env);
  const file = join(dataDir, 'metadata.sqlite');
  fill(file);
  // The way to the server and back, and through its front: what even an empty answer costs.
  await ask(server, '/api/users/@me/');
  const empty = median(await Promise.all(Array.from({ length: 20 }, () => ask(server, '/api/users/@me/'))));
  console.log(`${PERSONS.toLocaleString('en')} persons; an empty answer takes ${empty.toFixed(1)} ms`);
  for (const [name, path, raw] of QUESTIONS) {
    const cpu = server.cpuSeconds();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await ask(server, path));
    const cpuMs = ((server.cpuSeconds() - cpu) / ROUNDS) * 1000;
    const { stall } = await withStall(server, () => ask(server, path));
    const figures = [median(times).toFixed(1), cpuMs.toFixed(0), stall.toFixed(0)].map((text) => text.padStart(8));
    const beside = raw ? `   bare SQLite ${bare(file, raw).toFixed(3)} ms` : '';
    console.log(`${name.padEnd(32)}${figures[0]} ms   CPU ${figures[1]} ms   stall ${figures[2]} ms${beside}`);
  }
  const before = server.memoryMb();
  const { result: csv, stall } = await withStall(server, () => ask(server, `${P}?format=csv`));
  const grown = server.memoryMb() - before;
  console.log(`CSV of all: ${(csv / 1000).toFixed(1)} s, stall ${stall.toFixed(0)} ms, memory +${grown.toFixed(0)} MB`);
  await server.stop();
}

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
try {
  await main(dataDir);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
