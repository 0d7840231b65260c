/**
 * How fast flags are evaluated over HTTP, compared with a bare server that returns static JSON of the same size.
 *
 *   npm run bench:decide [-- --seconds 10 --persons 100000 --short]
 *
 * Load and server share the machine, which favors the slower of two servers: compare the CPU time per request too.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seeded } from '../src/features/demo/rules/seeded-random.ts';
import { makeFolder, personId } from './lib/decide-folder.ts';
import { compareEvaluators, measureCounting } from './lib/evaluate-rates.ts';
import { flagKey } from './lib/flag-definitions.ts';
import { SCENARIOS } from './lib/flag-scenarios.ts';
import { largeBatch, waitBeside } from './lib/large-batch.ts';
import { type LoadResult, runLoad, type Template } from './lib/load.ts';
import { machine } from './lib/machine.ts';
import { type RunningProcess, startProcess } from './lib/processes.ts';

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    persons: { type: 'string', default: '100000' },
    /** For CI: checks that it works, and roughly how fast. */
    short: { type: 'boolean', default: false },
  },
});
const seconds = flags.short ? 1 : Number(flags.seconds);
const persons = flags.short ? 3_000 : Number(flags.persons);

const PERSONAL_KEY = 'phx_bench_personal_key';
/** Flags per project, from a typical product to a large company. */
const SIZES = [20, 100, 200, 1000] as const;
/** The larger projects only measure the number of flags. */
const personsIn = (size: number): number => (size === SIZES[0] ? persons : persons / 10);
const keyOf = (size: number): string => `phc_bench_${size}_flags`;
/** A project like the first, of whose persons nobody has asked before. */
const FRESH_KEY = 'phc_bench_fresh';

interface Measured extends LoadResult {
  perSecond: number;
  cpuMicros: number;
}

async function measured(server: RunningProcess, path: string, size: number, maxMs: number): Promise<Measured> {
  const before = server.cpuSeconds();
  const result = await runLoad({ url: server.url, path, connections: 64, templates: requests(size), maxMs });
  const cpu = server.cpuSeconds() - before;
  return { ...result, perSecond: result.requests / result.seconds, cpuMicros: (cpu / result.requests) * 1e6 };
}

/**
 * Warms up V8, and requests every person once: a server that has been running for an hour has them in its cache
 * (docs/decisions/0033).
 */
function warmUp(server: RunningProcess, path: string, size: number): Promise<LoadResult> {
  let next = 0;
  const templates = requests(size, () => next++ % personsIn(size));
  const maxRequests = Math.max(20_000, personsIn(size));
  return runLoad({ url: server.url, path, connections: 64, templates, maxRequests });
}

let seed = 0;
function randomPerson(size: number): () => number {
  const random = seeded(++seed);
  return () => Math.floor(random() * personsIn(size));
}

/** Each request is for another random person, with a new seed in every run. */
function requests(size: number, pick = randomPerson(size), token = keyOf(size)): Template[] {
  const bytes = Buffer.from(JSON.stringify({ token, distinct_id: personId(0) }));
  const at = bytes.indexOf(personId(0)) + 'person-'.length;
  const refresh = (target: Buffer): void => {
    target.write(String(pick()).padStart(8, '0'), at, 8, 'latin1');
  };
  return Array.from({ length: 50 }, () => ({ bytes: Buffer.from(bytes), events: 1, refresh }));
}

const PATHS = ['/decide/?v=3', '/flags/?v=2'] as const;
/** The bare server has one path for each response size. */
const barePath = (path: string, size: number): string => `/${path.replace(/\W/g, '')}-${size}`;

async function answers(cairn: RunningProcess): Promise<Record<string, object>> {
  const all: Record<string, object> = {};
  for (const path of PATHS) {
    for (const size of SIZES) all[barePath(path, size)] = await ask(cairn, path, size, personId(7));
  }
  return all;
}

async function ask(server: RunningProcess, path: string, size: number, distinctId: string): Promise<object> {
  const body = JSON.stringify({ token: keyOf(size), distinct_id: distinctId });
  const response = await fetch(server.url + path, { method: 'POST', body });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as object;
}

/** Alternates between the servers, so that a slow moment of the machine affects both. */
async function compare(bare: RunningProcess, cairn: RunningProcess, path: string, size: number) {
  await warmUp(bare, barePath(path, size), size);
  await warmUp(cairn, path, size);
  const rounds = flags.short ? 1 : 3;
  const maxMs = (seconds * 1000) / rounds;
  const bareRuns: Measured[] = [];
  const cairnRuns: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    bareRuns.push(await measured(bare, barePath(path, size), size, maxMs));
    cairnRuns.push(await measured(cairn, path, size, maxMs));
  }
  const [baseline, ours] = [medianRun(bareRuns), medianRun(cairnRuns)];
  return {
    bare: figures(baseline),
    cairn: figures(ours),
    ratioOfRates: round(ours.perSecond / baseline.perSecond, 2),
    ratioOfCpu: round(baseline.cpuMicros / ours.cpuMicros, 2),
  };
}

const medianRun = (runs: Measured[]): Measured =>
  runs.toSorted((a, b) => a.cpuMicros - b.cpuMicros)[Math.floor(runs.length / 2)] as Measured;

const round = (value: number, digits = 0): number => Number(value.toFixed(digits));

const figures = ({ perSecond, p50, p99, failures, cpuMicros }: Measured) => ({
  requestsPerSecond: round(perSecond),
  p50Ms: round(p50, 2),
  p99Ms: round(p99, 2),
  failures,
  cpuMicrosPerRequest: round(cpuMicros, 1),
});

/** The cost of one more flag, in a small project and in a large one. */
async function growth(cairn: RunningProcess) {
  const cost = new Map<number, number>();
  for (const size of SIZES) {
    cost.set(size, (await measured(cairn, '/decide/?v=3', size, (seconds * 1000) / 3)).cpuMicros);
  }
  const [small, medium, , large] = SIZES;
  const perFlag = (from: number, to: number): number =>
    round(((cost.get(to) ?? 0) - (cost.get(from) ?? 0)) / (to - from), 3);
  return {
    cpuMicrosPerRequest: Object.fromEntries([...cost].map(([size, micros]) => [`${size} flags`, round(micros, 1)])),
    cpuMicrosPerFurtherFlag: { upTo100: perFlag(small, medium), upTo1000: perFlag(medium, large) },
  };
}

/** The first request for each person, compared with later ones. */
async function firstRequests(cairn: RunningProcess) {
  let next = 0;
  const [path, size] = [PATHS[0], SIZES[0]];
  const templates = requests(size, () => next++, FRESH_KEY);
  const before = cairn.cpuSeconds();
  const { requests: count } = await runLoad({
    url: cairn.url,
    path,
    connections: 64,
    templates,
    // Not all: what is under way at the end must be of persons never asked about, too.
    maxRequests: persons - 100,
  });
  const first = ((cairn.cpuSeconds() - before) / count) * 1e6;
  const later = (await measured(cairn, path, size, (seconds * 1000) / 3)).cpuMicros;
  return { firstCpuMicros: round(first, 1), laterCpuMicros: round(later, 1), ratio: round(first / later, 2) };
}

/** Changes a flag repeatedly, and evaluates it immediately after each change. */
async function changes(cairn: RunningProcess) {
  const path = '/api/projects/1/feature_flags/';
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, 'content-type': 'application/json' };
  const listed = await fetch(`${cairn.url}${path}?search=${flagKey(0)}`, { headers });
  const { results } = (await listed.json()) as { results: { id: number; key: string }[] };
  const id = results.find(({ key }) => key === flagKey(0))?.id;
  let seen = 0;
  const times = flags.short ? 20 : 100;
  for (let n = 0; n < times; n++) {
    const percentage = n % 2 === 0 ? 100 : 0;
    const filters = { groups: [{ properties: [], rollout_percentage: percentage }] };
    await fetch(`${cairn.url}${path}${id}/`, { method: 'PATCH', headers, body: JSON.stringify({ filters }) });
    const answer = (await ask(cairn, '/decide/?v=3', SIZES[0], personId(n))) as { featureFlags: object };
    if (answer.featureFlags[flagKey(0) as never] === (percentage === 100)) seen++;
  }
  return { changed: times, seenByTheNextRequest: seen };
}

/** Both servers parse the batch; only Cairn stores it. */
async function besideLargeBatch(bare: RunningProcess, cairn: RunningProcess) {
  const [path, size] = [PATHS[0], SIZES[0]];
  const batch = largeBatch(keyOf(size));
  const wait = (server: RunningProcess, asked: string): Promise<number> =>
    waitBeside(server.url, batch, flags.short ? 1 : 5, () => ask(server, asked, size, personId(7)));
  return {
    batchBytes: batch.length,
    bareMs: round(await wait(bare, barePath(path, size))),
    cairnMs: round(await wait(cairn, path)),
  };
}

/** The evaluator alone, compared with others; `npm run bench:evaluate` has more detail. */
async function inProcess(): Promise<Record<string, unknown>> {
  const options = { flags: SIZES[0], people: 500, rounds: flags.short ? 3 : 11 };
  const rates: Record<string, unknown> = {};
  for (const scenario of SCENARIOS) rates[scenario] = await compareEvaluators(scenario, options);
  return rates;
}

/** What counting the usage of flags takes of a decision that was made before, and of a new one. */
function shareOfCounting(counting: ReturnType<typeof measureCounting>, laterMicros: number, firstMicros: number) {
  const percent = (micros: number, of: number): number => round((100 * micros) / of, 2);
  return {
    ...counting,
    percentOfRepeatedDecision: percent(counting.countRepeatedDecisionMicros, laterMicros),
    percentOfNewDecision: percent(counting.countNewDecisionMicros, firstMicros),
  };
}

async function main(): Promise<void> {
  const evaluations = await inProcess();
  const counting = measureCounting(SIZES[0], 5000, flags.short ? 3 : 11);
  execFileSync(process.execPath, ['scripts/build.js']);
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const projects = SIZES.map((flags) => [keyOf(flags), { flags, persons: personsIn(flags) }] as const);
  const fresh = [FRESH_KEY, { flags: SIZES[0], persons }] as const;
  await makeFolder(dataDir, { projects: Object.fromEntries([...projects, fresh]), personalKey: PERSONAL_KEY });
  const cairn = await startProcess(['scripts/start.js', '--built'], {
    DATA_DIR: dataDir,
    PORT: '0',
  });
  const answersFile = join(dataDir, 'answers.json');
  writeFileSync(answersFile, JSON.stringify(await answers(cairn)));
  const bare = await startProcess(['scripts/run.js', 'bench/bare-server.ts'], { ANSWERS: answersFile });
  try {
    const decide20Flags = await compare(bare, cairn, PATHS[0], SIZES[0]);
    const first = await firstRequests(cairn);
    const report = {
      machine: machine(),
      persons,
      decide20Flags,
      flags20Flags: await compare(bare, cairn, PATHS[1], SIZES[0]),
      decide200Flags: await compare(bare, cairn, PATHS[0], 200),
      firstRequests: first,
      countingUsage: shareOfCounting(counting, decide20Flags.cairn.cpuMicrosPerRequest, first.firstCpuMicros),
      growth: await growth(cairn),
      changes: await changes(cairn),
      longestWaitBesideLargeBatch: await besideLargeBatch(bare, cairn),
      evaluations,
    };
    console.log(JSON.stringify(report, null, 2));
    mkdirSync('bench/results', { recursive: true });
    writeFileSync('bench/results/decide.json', `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await Promise.all([bare.stop(), cairn.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await main();
