/** A real server process that can be killed at any moment and restarted on the same folder. */
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

  /** Its latest output. */
  get output(): string {
    return this.#output.slice(-40).join('');
  }

  /** Returns at once; `ready` waits until it serves. */
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
    const onOutput = (chunk: Buffer): void => {
      this.#output.push(chunk.toString());
      if (this.#output.length > 200) this.#output.splice(0, 100);
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    // Leaves no server behind if this process is interrupted.
    const killChild = (): void => void child.kill('SIGKILL');
    process.once('exit', killChild);
    child.once('exit', () => {
      process.off('exit', killChild);
      if (this.#child === child) this.#child = null;
    });
  }

  async ready(withinMs = 30_000): Promise<void> {
    const until = Date.now() + withinMs;
    while (Date.now() < until) {
      if (!this.isRunning) throw new Error(`The server exited during startup:\n${this.output}`);
      const response = await fetch(`${this.url}/_readyz`).catch(() => null);
      if (response?.status === 200) return;
      await sleep(20);
    }
    throw new Error(`The server was not ready within ${withinMs} ms:\n${this.output}`);
  }

  async start(): Promise<void> {
    this.spawn();
    await this.ready();
  }

  /** Like a power cut, except for the operating system's write cache. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** A graceful stop; returns the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async status(): Promise<Status> {
    const response = await fetch(`${this.url}/_status`);
    return ((await response.json()) as { ingest: Status }).ingest;
  }

  /** Waits until everything accepted is processed; fails without progress. */
  async settled(timeoutMs = 30_000): Promise<Status> {
    let last: Status | undefined;
    for (let progressAt = Date.now(); Date.now() < progressAt + timeoutMs; await sleep(50)) {
      const now = await this.status().catch(() => last);
      if (now?.pending === 0) return now;
      if (now?.pending !== last?.pending) progressAt = Date.now();
      last = now;
    }
    throw new Error(`No progress for ${timeoutMs} ms while events are pending: ${JSON.stringify(last)}`);
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
