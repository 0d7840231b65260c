/** The real server in a process of its own, which can be killed at any instant and started again on the same folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = new URL('..', import.meta.url).pathname;

export const PROJECT_KEY = 'phc_torture_project_key';

export interface Status {
  accepted: number;
  stored: number;
  duplicate: number;
  dropped: Record<string, number>;
  dead_lettered: number;
  pending: number;
}

export class ServerProcess {
  readonly dataDir: string;
  readonly port: number;
  readonly #env: Record<string, string>;
  #child: ChildProcess | null = null;
  #output: string[] = [];

  private constructor(dataDir: string, port: number, env: Record<string, string>) {
    this.dataDir = dataDir;
    this.port = port;
    this.#env = env;
  }

  static async on(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
    return new ServerProcess(dataDir, await freePort(), env);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** What it printed lately: the last words of a server that would not start. */
  get output(): string {
    return this.#output.slice(-40).join('');
  }

  /** Spawns it; `ready` waits until it serves. */
  spawn(): void {
    const child = spawn(process.execPath, ['scripts/start.js', '--built'], {
      cwd: ROOT,
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        DATA_DIR: this.dataDir,
        INIT_PROJECT_API_KEY: PROJECT_KEY,
        LOG_LEVEL: 'warn',
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const hear = (chunk: Buffer): void => {
      this.#output.push(chunk.toString());
      if (this.#output.length > 200) this.#output.splice(0, 100);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    // A torturer that is itself interrupted leaves no server behind.
    const takeAlong = (): void => void child.kill('SIGKILL');
    process.once('exit', takeAlong);
    child.once('exit', () => {
      process.off('exit', takeAlong);
      if (this.#child === child) this.#child = null;
    });
  }

  async ready(withinMs = 30_000): Promise<void> {
    const until = Date.now() + withinMs;
    while (Date.now() < until) {
      if (!this.isRunning) throw new Error(`The server ended instead of starting:\n${this.output}`);
      const answer = await fetch(`${this.url}/_readyz`).catch(() => null);
      if (answer?.status === 200) return;
      await sleep(20);
    }
    throw new Error(`The server was not ready within ${withinMs} ms:\n${this.output}`);
  }

  async start(): Promise<void> {
    this.spawn();
    await this.ready();
  }

  /** No farewell: as a power cut would, apart from what the operating system still holds. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** A polite stop; the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async status(): Promise<Status> {
    const answer = await fetch(`${this.url}/_status`);
    return ((await answer.json()) as { ingest: Status }).ingest;
  }

  /** Waits until everything accepted has met its fate; gives up when nothing moves any more. */
  async settled(patienceMs = 30_000): Promise<Status> {
    let last: Status | undefined;
    for (let moved = Date.now(); Date.now() < moved + patienceMs; await sleep(50)) {
      const now = await this.status().catch(() => last);
      if (now?.pending === 0) return now;
      if (now?.pending !== last?.pending) moved = Date.now();
      last = now;
    }
    throw new Error(`Events wait, and nothing has moved for ${patienceMs} ms: ${JSON.stringify(last)}`);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    const ended = once(child, 'exit');
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
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
