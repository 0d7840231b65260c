/**
 * Flags over HTTP compared with Unleash on PostgreSQL: 20 flags with the same conditions, the user's properties in the
 * request, all flags in the response. Both servers take turns in the same run.
 *
 *   npm run bench:unleash [-- --seconds 10]
 *
 * The first run installs Unleash from npm into bench/results/unleash; it is not a dependency of Cairn.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startOwnPostgres } from '../test/support/own-postgres.ts';
import { makeFolder } from './lib/decide-folder.ts';
import { flagKey, personProperties } from './lib/flag-definitions.ts';
import { runLoad, type Template } from './lib/load.ts';
import { machine } from './lib/machine.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';
import { makeUnleashFlags } from './lib/unleash-flags.ts';

/** The latest version that runs on Node 20. */
const VERSION = '7.4.1';
const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const FLAGS = 20;
const ROUNDS = 3;
const KEY = 'phc_bench_unleash';
const TOKEN = '*:development.benchfrontendtoken';
const UNLEASH = resolve('bench/results/unleash');

interface Contender {
  name: string;
  server: RunningProcess;
  path: string;
  headers: Record<string, string>;
  body(n: number): object;
  /** The number of enabled flags in a response. */
  countOn(answer: never): number;
}

function install(): void {
  if (existsSync(join(UNLEASH, 'node_modules/unleash-server'))) return;
  mkdirSync(UNLEASH, { recursive: true });
  writeFileSync(join(UNLEASH, 'package.json'), '{"private": true}\n');
  console.log(`installing unleash-server ${VERSION} …`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `unleash-server@${VERSION}`];
  execFileSync('npm', args, { cwd: UNLEASH, stdio: 'inherit' });
}

const texts = (n: number): Record<string, string> =>
  Object.fromEntries(Object.entries(personProperties(n)).map(([key, value]) => [key, String(value)]));

const templates = ({ body }: Contender): Template[] =>
  Array.from({ length: 60 }, (_, n) => ({
    bytes: Buffer.from(JSON.stringify(body(n))),
    events: 1,
    refresh: () => undefined,
  }));

async function averageOn({ server, path, headers, body, countOn }: Contender): Promise<number> {
  let on = 0;
  for (let n = 0; n < 60; n++) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body(n)),
    };
    const response = await fetch(server.url + path, init);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    on += countOn((await response.json()) as never);
  }
  return on / 60;
}

async function measured(contender: Contender) {
  const { server, path, headers } = contender;
  const cpu = server.cpuSeconds();
  const load = await runLoad({
    url: server.url,
    path,
    headers,
    connections: 64,
    templates: templates(contender),
    maxMs: (Number(options.seconds) * 1000) / ROUNDS,
  });
  return {
    requestsPerSecond: Math.round(load.requests / load.seconds),
    p99Ms: Number(load.p99.toFixed(1)),
    failures: load.failures,
    cpuMicrosPerRequest: Math.round(((server.cpuSeconds() - cpu) / load.requests) * 1e6),
  };
}

type Figures = Awaited<ReturnType<typeof measured>>;

const median = (figures: readonly Figures[]): Figures =>
  figures.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[figures.length >> 1] as Figures;

async function main(): Promise<void> {
  install();
  const postgres = await startOwnPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const running: RunningProcess[] = [];
  try {
    execFileSync(process.execPath, ['scripts/build.js']);
    await makeFolder(dataDir, {
      projects: { [KEY]: { flags: FLAGS, persons: 0 } },
      personalKey: 'phx_bench_personal_key',
    });
    const cairn = await startProcess(['scripts/start.js', '--built'], {
      DATA_DIR: dataDir,
      PORT: '0',
    });
    running.push(cairn);
    const unleash = await startProcess(['scripts/run.js', 'bench/lib/unleash-process.ts'], {
      UNLEASH,
      DATABASE_URL: postgres.url,
      FRONTEND_TOKEN: TOKEN,
    });
    running.push(unleash);
    await makeUnleashFlags(
      unleash.url,
      Array.from({ length: FLAGS }, (_, n) => flagKey(n)),
    );
    const contenders: Contender[] = [
      {
        name: 'cairn',
        server: cairn,
        path: '/flags/?v=2',
        headers: {},
        body: (n) => ({ token: KEY, distinct_id: `person-${n}`, person_properties: personProperties(n) }),
        countOn: ({ flags }: { flags: Record<string, { enabled: boolean }> }) =>
          Object.values(flags).filter(({ enabled }) => enabled).length,
      },
      {
        name: 'unleash',
        server: unleash,
        path: '/api/frontend',
        headers: { authorization: TOKEN },
        body: (n) => ({ context: { userId: `person-${n}`, properties: texts(n) } }),
        countOn: ({ toggles }: { toggles: unknown[] }) => toggles.length,
      },
    ];
    // Unleash polls its flags.
    for (
      const until = performance.now() + 60_000;
      (await averageOn(contenders[1] as Contender)) < 1;
      await sleep(500)
    ) {
      if (performance.now() > until) throw new Error('Unleash has not loaded its flags.');
    }
    const figures = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
    for (let round = -1; round < ROUNDS; round++) {
      for (const contender of contenders) {
        const one = await measured(contender);
        if (round >= 0) figures.get(contender.name)?.push(one);
      }
    }
    const report: Record<string, unknown> = {
      machine: machine(),
      unleashVersion: VERSION,
    };
    for (const contender of contenders) {
      report[contender.name] = {
        ...median(figures.get(contender.name) ?? []),
        flagsOnOnAverage: await averageOn(contender),
      };
    }
    console.log(JSON.stringify(report, null, 2));
    writeFileSync('bench/results/unleash.json', `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    for (const one of running) await one.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await main();
