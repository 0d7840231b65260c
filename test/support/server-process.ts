/** The server as a process of its own, on a folder that tests damage while it is stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './client.ts';

const root = new URL('../..', import.meta.url).pathname;
const PROJECT_KEY = 'phc_faults_project_key';
const PERSONAL_KEY = 'phx_faults_personal_key';

export interface ServerProcess {
  child: ChildProcess;
  url: string;
  output: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  send(events: readonly object[]): Promise<number>;
  get(path: string): ReturnType<typeof call>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
  status(): Promise<any>;
  /** Resolves when everything accepted is processed. */
  drain(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

export interface ProcessOptions {
  env?: Record<string, string>;
  /** Run under this command. */
  wrap?: readonly string[];
}

/** Rejects with what it printed if it ends before it is ready. */
export async function startServerProcess(dataDir: string, { env = {}, wrap = [] }: ProcessOptions = {}) {
  const [command = '', ...args] = [...wrap, process.execPath, 'dist/main.js'];
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ERASE_AFTER_SECONDS: '0' },
      ...{ INIT_PROJECT_API_KEY: PROJECT_KEY, INIT_PERSONAL_API_KEY: PERSONAL_KEY },
      ...env,
    },
  });
  const output = { stdout: '', stderr: '' };
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
      const address = /"address":"([^"]+)".*"msg":"ready"/.exec(output.stdout)?.[1];
      if (address) resolve(address);
    });
    ended.then((code) => reject(new Error(`exit code ${code}\n${output.stderr}`)), reject);
  });
  return handle(child, url, output, ended);
}

function handle(
  child: ChildProcess,
  url: string,
  output: ServerProcess['output'],
  ended: Promise<number | null>,
): ServerProcess {
  const get = (path: string) => call(url, 'GET', path, { key: PERSONAL_KEY });
  const status = async () => (await get('/_status')).body;
  const endWith = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    child,
    url,
    output,
    ended,
    get,
    status,
    send: async (batch) =>
      (await call(url, 'POST', '/batch/', { key: null, body: { api_key: PROJECT_KEY, batch } })).status,
    async drain() {
      for (let tries = 0; tries < 600; tries++) {
        if ((await status()).ingest.pending === 0) return;
        await sleep(25);
      }
      throw new Error('Events were not processed in time.');
    },
    kill: async () => void (await endWith('SIGKILL')),
    stop: () => endWith('SIGTERM'),
  };
}
