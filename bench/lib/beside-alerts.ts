/**
 * How long capture and flags take while alerts are checked every minute, beside how long they take without alerts; and
 * what those checks cost. A project may have 20 alerts by the minute, so there are several projects.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from './processes.ts';
import { fill, KEYS, measureWaits } from './waits.ts';

const ALERTS_PER_PROJECT = 20;
/** A minute is checked one minute after its end. */
const UNTIL_FIRST_CHECK_MS = 125_000;
const SETTLED_MS = 90_000;

export async function measureBesideAlerts(seconds: number, events: number, alerts: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-alerts-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const server = await startProcess(['dist/main.js'], env);
  try {
    const projects = await makeProjects(server, Math.ceil(alerts / ALERTS_PER_PROJECT));
    for (const { api_token: key } of projects) await fill(server, events / projects.length, { key });
    // What is left to do after so many events would count as quiet.
    await measureWaits(server, SETTLED_MS / 1000);
    const quiet = await measured(server, seconds);
    for (const { id } of projects) await makeAlerts(server, id);
    await measureWaits(server, UNTIL_FIRST_CHECK_MS / 1000);
    const busy = await measured(server, seconds);
    return { alerts: projects.length * ALERTS_PER_PROJECT, seconds, quiet, besideAlerts: busy };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measured(server: RunningProcess, seconds: number) {
  const [cpu, checks] = [server.cpuSeconds(), await checksSoFar(server)];
  const waits = await measureWaits(server, seconds);
  const after = await checksSoFar(server);
  return {
    ...waits,
    cpuSeconds: rounded(server.cpuSeconds() - cpu),
    checks: after.count - checks.count,
    /** Of all checks together; two are made at a time. */
    checkSeconds: rounded(after.sum - checks.sum),
  };
}

const rounded = (value: number): number => Number(value.toFixed(2));

async function checksSoFar({ url }: RunningProcess): Promise<{ count: number; sum: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string): number =>
    Number(new RegExp(`^cairn_alert_evaluation_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return { count: value('count'), sum: value('sum') };
}

interface MadeProject {
  id: number;
  api_token: string;
}

async function send<T>({ url }: RunningProcess, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEYS.INIT_PERSONAL_API_KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function makeProjects(server: RunningProcess, count: number): Promise<MadeProject[]> {
  const projects = [await send<MadeProject>(server, 'GET', '/api/projects/1/')];
  while (projects.length < count)
    projects.push(await send<MadeProject>(server, 'POST', '/api/projects/', { name: `Project ${projects.length}` }));
  return projects;
}

/** Each on an insight of its own: numbers of events and of users, half of them split. */
async function makeAlerts(server: RunningProcess, project: number): Promise<void> {
  for (let n = 0; n < ALERTS_PER_PROJECT; n++) {
    const filters = {
      insight: 'TRENDS',
      events: [{ id: null, math: n % 2 === 0 ? 'total' : 'dau' }],
      ...(n % 4 < 2 ? {} : { breakdown: '$lib', breakdown_type: 'event' }),
    };
    const insight = { name: `Insight ${n}`, filters };
    const { id } = await send<{ id: number }>(server, 'POST', `/api/projects/${project}/insights/`, insight);
    await send(server, 'POST', `/api/projects/${project}/alerts/`, {
      name: `Alert ${n}`,
      insight: id,
      calculation_interval: 'every_minute',
      threshold: { configuration: { type: 'absolute', bounds: { upper: 1_000_000_000 } } },
    });
  }
}
