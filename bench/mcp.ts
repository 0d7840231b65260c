/**
 * What a tool of `/mcp` costs above the route that it calls: both for the same answer, in turns, one request at a time.
 *
 *   npm run bench:mcp [-- --rounds 200]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './lib/machine.ts';
import { startProcess } from './lib/processes.ts';
import { median } from './lib/race.ts';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const ROUNDS = Number(options.rounds);
const OWNER_KEY = 'phx_benchMcp0123456789abcdefghij';
/** Fewer than the calls that a key has in a minute. */
const ROUNDS_PER_KEY = 50;
const FLAGS = 20;

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
const env = { DATA_DIR: dataDir, PORT: '0', INIT_PERSONAL_API_KEY: OWNER_KEY, LOG_LEVEL: 'warn' };
const server = await startProcess(['scripts/start.js'], env);

async function request(method: string, path: string, key: string, body?: unknown): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  return text;
}

const rpc = (key: string, method: string, params: object = {}) =>
  request('POST', '/mcp', key, { jsonrpc: '2.0', id: 1, method, params });
const callTool = (key: string, name: string, args: object) => rpc(key, 'tools/call', { name, arguments: args });

type Call = (key: string) => Promise<string>;
const PAIRS: Record<string, { tool: Call; route: Call }> = {
  flags_list: {
    tool: (key) => callTool(key, 'flags_list', { limit: 20 }),
    route: (key) => request('GET', '/api/projects/1/feature_flags/?limit=20', key),
  },
  flag_get: {
    tool: (key) => callTool(key, 'flag_get', { id: 1 }),
    route: async (key) => {
      const parts = ['', 'status/', 'usage/'];
      for (const part of parts) await request('GET', `/api/projects/1/feature_flags/1/${part}`, key);
      return '';
    },
  },
  events_definitions: {
    tool: (key) => callTool(key, 'events_definitions', { limit: 20 }),
    route: (key) => request('GET', '/api/projects/1/event_definitions/?limit=20', key),
  },
  'tools/list': {
    tool: (key) => rpc(key, 'tools/list'),
    route: (key) => rpc(key, 'ping'),
  },
};

async function msOf(call: Call, key: string): Promise<number> {
  const began = performance.now();
  await call(key);
  return performance.now() - began;
}

async function newKey(): Promise<string> {
  const made = await request('POST', '/api/personal_api_keys/', OWNER_KEY, { label: 'bench', scopes: ['*'] });
  return (JSON.parse(made) as { value: string }).value;
}

async function measure({ tool, route }: { tool: Call; route: Call }) {
  const times = { tool: [] as number[], route: [] as number[] };
  let key = await newKey();
  for (let round = -10; round < ROUNDS; round++) {
    if (round > 0 && round % ROUNDS_PER_KEY === 0) key = await newKey();
    const [toolMs, routeMs] = [await msOf(tool, key), await msOf(route, key)];
    // The first ones warm up.
    if (round < 0) continue;
    times.tool.push(toolMs);
    times.route.push(routeMs);
  }
  const [toolMs, routeMs] = [median(times.tool), median(times.route)];
  return { toolMs: rounded(toolMs), routeMs: rounded(routeMs), aboveMs: rounded(toolMs - routeMs) };
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

try {
  for (let n = 0; n < FLAGS; n++) {
    const filters = { groups: [{ properties: [], rollout_percentage: n * 5 }] };
    await request('POST', '/api/projects/1/feature_flags/', OWNER_KEY, {
      key: `flag-${n}`,
      name: `Flag ${n}`,
      filters,
    });
  }
  const calls: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const [name, pair] of Object.entries(PAIRS)) calls[name] = await measure(pair);
  const report = { machine: machine(), calls };
  console.log(JSON.stringify(report, null, 2));
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/mcp.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
