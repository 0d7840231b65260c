/** Runs statements in processes of their own, and ends those that take too long. */
import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { ChildLimits, ChildReady, SqlAnswer, SqlRequest, SqlResponse } from './child/protocol.ts';
import { RESPONSE_FD, ResponseReader } from './child/response-pipe.ts';
import { SqlRefusal } from './rules/refusal.ts';

interface SqlRunnerOptions {
  file: URL;
  timeoutSeconds: number;
  memoryMb: number;
}

/** A process is replaced after so many statements. */
const MAX_STATEMENTS = 100;
const IDLE_MS = 60_000;
/** What Node and the engine need beside what a statement may use. */
const OVERHEAD_MB = 250;
const OUT_OF_MEMORY = 77;
const MAX_START_SECONDS = 60;
const LOW_PRIORITY = 10;
/** For the brackets around the rows. */
const SPARE_BYTES = 16;

interface Child {
  process: ChildProcess;
  responses: Socket;
  /** Whether it takes statements. */
  isReady: boolean;
  statements: number;
  idle: NodeJS.Timeout | undefined;
}

type ChildStatement = Omit<SqlRequest, 'id'>;

export class SqlRunner {
  readonly #options: SqlRunnerOptions;
  readonly #free: Child[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor(options: SqlRunnerOptions) {
    this.#options = options;
  }

  close(): void {
    this.#isClosed = true;
    for (const child of this.#free.splice(0)) end(child);
  }

  /** Rejects with a `SqlRefusal`. */
  async run(statement: ChildStatement, signal: AbortSignal): Promise<SqlAnswer> {
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

  async #ask(child: Child, request: SqlRequest, signal: AbortSignal): Promise<SqlResponse> {
    const { timeoutSeconds } = this.#options;
    // Starting a process may take seconds on a busy machine, which is not the statement's time.
    if (!child.isReady) await this.#exchange<ChildReady>(child, null, signal, MAX_START_SECONDS);
    child.isReady = true;
    return this.#exchange<SqlResponse>(child, request, signal, timeoutSeconds);
  }

  /** Sends a request, if any, and waits for the next message. */
  #exchange<T>(child: Child, request: SqlRequest | null, signal: AbortSignal, seconds: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        child.process.removeAllListeners();
        child.responses.removeAllListeners('data');
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        finish();
        reject(error);
      };
      const onAbort = (): void => fail(signal.reason);
      const timer = setTimeout(
        () => fail(new SqlRefusal('too_slow', `The statement took longer than ${seconds} s and was stopped.`)),
        seconds * 1000,
      );
      // The process refuses larger answers itself, with a reason.
      const reader = new ResponseReader((request?.maxBytes ?? 0) + SPARE_BYTES);
      child.responses.on('data', (piece) => {
        try {
          const response = reader.add(piece);
          if (response === null) return;
          finish();
          resolve(response as T);
        } catch (error) {
          fail(error);
        }
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
      else if (request !== null) child.process.send(request);
    });
  }

  #start(): Child {
    const { file, memoryMb } = this.#options;
    const limits: ChildLimits = { memoryMb, residentMb: memoryMb + OVERHEAD_MB, threads: 2 };
    const process = fork(file, [JSON.stringify(limits)], {
      env: {},
      execArgv: ['--max-old-space-size=256'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    });
    yieldToOthers(process);
    // There is none where the process could not be started; that is an event of the process.
    const responses = (process.stdio?.[RESPONSE_FD] ?? new Socket()) as Socket;
    // Of a process that has ended, which is noticed by its exit.
    responses.on('error', () => undefined);
    return { process, responses, isReady: false, statements: 0, idle: undefined };
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
    child.responses.unref();
  }
}

/** Before it has threads: they have the priority of the one that starts them, and the engine's do the work. */
function yieldToOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // Not allowed here; the time limit holds anyway.
  }
}

function end(child: Child): void {
  clearTimeout(child.idle);
  child.process.removeAllListeners();
  // Errors of a process that is already gone.
  child.process.on('error', () => undefined);
  child.process.kill('SIGKILL');
}
