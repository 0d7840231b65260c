/** Runs statements in processes of their own, at most so many at a time, and ends those that take too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { Failure } from '../../core/errors.ts';
import type { ChildLimits, SqlAnswer, SqlRequest, SqlResponse } from './child/protocol.ts';
import { SqlRefusal } from './rules/refusal.ts';

interface SqlRunnerOptions {
  file: URL;
  timeoutSeconds: number;
  memoryMb: number;
}

const MAX_CHILDREN = 4;
const MAX_PER_PROJECT = 2;
const MAX_WAIT_MS = 10_000;
/** A process is replaced after so many statements. */
const MAX_STATEMENTS = 100;
const IDLE_MS = 60_000;
/** What Node and the engine need beside what a statement may use. */
const OVERHEAD_MB = 250;
const OUT_OF_MEMORY = 77;

interface Child {
  process: ChildProcess;
  statements: number;
  idle: NodeJS.Timeout | undefined;
}

type Statement = Omit<SqlRequest, 'id'>;

export class SqlRunner {
  readonly #options: SqlRunnerOptions;
  readonly #free: Child[] = [];
  readonly #running = new Map<number, number>();
  readonly #waiting: (() => void)[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor(options: SqlRunnerOptions) {
    this.#options = options;
  }

  /** Rejects with a `SqlRefusal`, or with a `Failure` where no process is free. */
  async run(projectId: number, statement: Statement, signal: AbortSignal): Promise<SqlAnswer> {
    await this.#enter(projectId, signal);
    try {
      return await this.#runInChild(statement, signal);
    } finally {
      this.#leave(projectId);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const child of this.#free.splice(0)) end(child);
  }

  async #enter(projectId: number, signal: AbortSignal): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    while (!this.#hasRoom(projectId)) {
      const wait = until - performance.now();
      if (wait <= 0) {
        throw new Failure('unavailable', 'Too many statements are running. Try again in a moment.', {
          code: 'busy',
          retryAfter: 5,
        });
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      signal.throwIfAborted();
    }
    this.#running.set(projectId, (this.#running.get(projectId) ?? 0) + 1);
  }

  #hasRoom(projectId: number): boolean {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return all < MAX_CHILDREN && (this.#running.get(projectId) ?? 0) < MAX_PER_PROJECT;
  }

  #leave(projectId: number): void {
    const count = (this.#running.get(projectId) ?? 1) - 1;
    if (count === 0) this.#running.delete(projectId);
    else this.#running.set(projectId, count);
    // Each looks whether there is room for it.
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #runInChild(statement: Statement, signal: AbortSignal): Promise<SqlAnswer> {
    const child = this.#free.pop() ?? this.#start();
    clearTimeout(child.idle);
    const id = ++this.#lastId;
    child.statements++;
    let isUsable = false;
    try {
      const response = await this.#ask(child, { ...statement, id }, signal);
      if ('fault' in response) throw new Error(response.fault);
      if ('refusal' in response) {
        const { code, message, position } = response.refusal;
        isUsable = code !== 'too_large';
        throw new SqlRefusal(code, message, position);
      }
      isUsable = true;
      return response.answer;
    } finally {
      if (isUsable && child.statements < MAX_STATEMENTS && !this.#isClosed) this.#keep(child);
      else end(child);
    }
  }

  #ask(child: Child, request: SqlRequest, signal: AbortSignal): Promise<SqlResponse> {
    const { timeoutSeconds } = this.#options;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        child.process.removeAllListeners();
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        finish();
        reject(error);
      };
      const onAbort = (): void => fail(signal.reason);
      const timer = setTimeout(
        () => fail(new SqlRefusal('too_slow', `The statement took longer than ${timeoutSeconds} s and was stopped.`)),
        timeoutSeconds * 1000,
      );
      child.process.on('message', (response: SqlResponse) => {
        if (response.id !== request.id) return;
        finish();
        resolve(response);
      });
      child.process.on('error', fail);
      child.process.on('exit', (code) =>
        fail(
          code === OUT_OF_MEMORY
            ? new SqlRefusal('too_large', 'The statement needs more memory than it may use.')
            : new SqlRefusal('too_large', 'The process that ran the statement ended. It may need too much memory.'),
        ),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else child.process.send(request);
    });
  }

  #start(): Child {
    const { file, memoryMb } = this.#options;
    const limits: ChildLimits = { memoryMb, residentMb: memoryMb + OVERHEAD_MB, threads: 2 };
    const process = fork(file, [JSON.stringify(limits)], {
      env: {},
      execArgv: ['--max-old-space-size=256'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return { process, statements: 0, idle: undefined };
  }

  #keep(child: Child): void {
    this.#free.push(child);
    const leave = (): void => {
      const at = this.#free.indexOf(child);
      if (at >= 0) this.#free.splice(at, 1);
      end(child);
    };
    child.process.once('exit', leave);
    child.idle = setTimeout(leave, IDLE_MS);
    child.idle.unref();
    child.process.unref();
    child.process.channel?.unref();
  }
}

function end(child: Child): void {
  clearTimeout(child.idle);
  child.process.removeAllListeners();
  // Errors of a process that is already gone.
  child.process.on('error', () => undefined);
  child.process.kill('SIGKILL');
}
