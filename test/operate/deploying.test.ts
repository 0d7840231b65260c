/** What is deployed, as far as it can be tried without a container: the files agree with the server, and the bundled server runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { pack } from '../../scripts/pack.js';
import { defaultConfig, settingsHelp } from '../../src/config.ts';
import { VERSION } from '../../src/version.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const settings = new Set(settingsHelp().map(({ env }) => env));

interface Service {
  image: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  volumes?: string[];
}
const services = (file: string): Record<string, Service> => parse(read(file), { merge: true }).services;
const ours = (file: string): Service[] => Object.values(services(file)).filter(({ image }) => image === 'cairn');

describe.each(['compose.yaml', 'compose.scale.yaml'])('%s', (file) => {
  it('uses only settings that exist', () => {
    const named = ours(file).flatMap(({ environment = {} }) => Object.keys(environment));
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
  });

  it('runs every node on a read-only file system', () => {
    expect(ours(file).map((service) => service.read_only)).toEqual(ours(file).map(() => true));
  });

  it('mounts only files that exist', () => {
    const mounted = Object.values(services(file)).flatMap(({ volumes = [] }) => volumes);
    for (const path of mounted.filter((one) => one.startsWith('./')))
      expect(read(path.split(':')[0] ?? '')).not.toBe('');
  });
});

it('has two web nodes and two workers in the scale setup', () => {
  const roles = ours('compose.scale.yaml').map(({ environment }) => environment?.ROLE);
  expect(roles.sort()).toEqual(['web', 'web', 'worker', 'worker']);
});

it('has a Kubernetes example with roles, probes and settings that the server knows', () => {
  const objects = parseAllDocuments(read('deploy/kubernetes/cairn.yaml')).map((document) => document.toJS());
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);
  expect(containers.map(({ env }) => env)).toEqual([
    [{ name: 'ROLE', value: 'web' }],
    [{ name: 'ROLE', value: 'worker' }],
  ]);
  expect(containers.map(({ image }) => image)).toEqual([`cairn:${VERSION}`, `cairn:${VERSION}`]);
  expect(
    containers.map(({ readinessProbe, livenessProbe }) => [readinessProbe.httpGet.path, livenessProbe.httpGet.path]),
  ).toEqual([0, 1].map(() => ['/_readyz', '/_livez']));
  const given = objects.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data));
  expect(given.filter((name) => !settings.has(name))).toEqual([]);
});

it('allows bodies through the load balancer up to the limit of the server', () => {
  expect(defaultConfig().maxBodyBytes).toBe(
    Number(/client_max_body_size (\d+)m/.exec(read('deploy/nginx.conf'))?.[1]) * 2 ** 20,
  );
});

it('has a load balancer that tries every node, even one that just failed', () => {
  const [, upstream = ''] = /upstream web \{([^}]*)\}/.exec(read('deploy/nginx.conf')) ?? [];
  expect(upstream.match(/^ +server .*$/gm)?.map((line) => line.trim())).toEqual([
    'server web-1:8000 max_fails=0;',
    'server web-2:8000 max_fails=0;',
  ]);
});

it('copies only existing files into the image', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const present = readdirSync(root);
  expect(copied.filter((name) => name !== '.' && !present.includes(name))).toEqual([]);
});

describe('the bundled server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-packed-'));
  let server: ChildProcess | undefined;
  afterAll(() => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** As in the image: an unprivileged user that can write to the data folder only. */
  it('starts as an unprivileged user from a read-only folder, and serves the SDK', async () => {
    const app = join(folder, 'app');
    const data = join(folder, 'data');
    const megabytes = pack(app) / 1e6;
    expect(megabytes).toBeLessThan(130);
    mkdirSync(data);
    chmodSync(folder, 0o755);
    chmodSync(app, 0o555);
    chmodSync(data, 0o777);
    const isRoot = process.getuid?.() === 0;
    server = spawn(process.execPath, ['dist/main.js'], {
      cwd: app,
      env: { NODE_ENV: 'production', PORT: '0', DATA_DIR: data, PATH: process.env.PATH },
      ...(isRoot ? { uid: 1000, gid: 1000 } : {}),
    });
    const url = await addressOf(server);
    expect((await fetch(`${url}/_readyz`)).status).toBe(200);
    const script = await fetch(`${url}/static/array.js`);
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'application/javascript; charset=utf-8']);
    expect(await (await fetch(`${url}/docs`)).text()).toContain('<html');
    expect(await (await fetch(url)).text()).toContain('<title>');
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 60_000);
});

async function addressOf(server: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (part) => (text += part));
  for (let waited = 0; waited < 20_000; waited += 50) {
    const address = /"address":"([^"]+)".*"ready"/.exec(text)?.[1];
    if (address) return address;
    if (server.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error(`The packed server did not start:\n${text}`);
}
