/** Runs statements in processes of their own, and ends those that take too long. */
import { OUT_OF_MEMORY, type SqlAnswer, type SqlRequest, type SqlResponse } from './child/protocol.ts';
import { SqlRefusal } from './rules/refusal.ts';
import { ProcessEnded, type SqlProcess, SqlProcesses } from './sql-processes.ts';

interface SqlRunnerOptions {
  /** The folder of the built programs. */
  programs: URL;
  timeoutSeconds: number;
  memoryMb: number;
  /** CPU time after which a statement gets the lowest priority. */
  longMs?: number;
}

/** A process is replaced after so many statements. */
const MAX_STATEMENTS = 100;
const IDLE_MS = 60_000;
/** What Node and the engine need beside what a statement may use. */
const OVERHEAD_MB = 250;
const THREADS = 2;
/** Most statements take less than half of it, also with 50,000 rows. */
const LONG_MS = 2000;
const MAX_START_SECONDS = 60;

interface Child {
  process: SqlProcess;
  statements: number;
  idle: NodeJS.Timeout | undefined;
}

export class SqlRunner {
  readonly #processes: SqlProcesses;
  readonly #timeoutSeconds: number;
  readonly #free: Child[] = [];
  #isClosed = false;

  constructor({ programs, timeoutSeconds, memoryMb, longMs = LONG_MS }: SqlRunnerOptions) {
    const residentMb = memoryMb + OVERHEAD_MB;
    this.#processes = new SqlProcesses(programs, { memoryMb, residentMb, threads: THREADS, longMs });
    this.#timeoutSeconds = timeoutSeconds;
  }

  close(): void {
    this.#isClosed = true;
    for (const child of this.#free.splice(0)) end(child);
    this.#processes.close();
  }

  /** A temporary one, for files of statements; it is removed with the server. */
  get folder(): string {
    return this.#processes.folder;
  }

  /** Rejects with a `SqlRefusal`. */
  async run(statement: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    const kept = this.#free.pop();
    try {
      return await this.#runIn(kept ?? this.#start(), statement, signal);
    } catch (error) {
      // It may have been killed while it waited, and the launcher before it could start one.
      const isTriedAgain = error instanceof ProcessEnded && (kept !== undefined || !error.wasReady);
      if (!isTriedAgain || error.code === OUT_OF_MEMORY) throw explain(error);
    }
    return this.#runIn(this.#start(), statement, signal).catch((error: unknown) => {
      throw explain(error);
    });
  }

  #start(): Child {
    return { process: this.#processes.start(), statements: 0, idle: undefined };
  }

  async #runIn(child: Child, statement: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    clearTimeout(child.idle);
    child.process.onEnd = null;
    child.statements++;
    let isUsable = false;
    try {
      const response = await this.#ask(child, statement, signal);
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

  async #ask({ process }: Child, request: SqlRequest, signal: AbortSignal): Promise<SqlResponse> {
    // Starting a process may take seconds on a busy machine, which is not the statement's time.
    await unlessStopped(process.ready, signal, MAX_START_SECONDS);
    return unlessStopped(process.ask(request), signal, this.#timeoutSeconds);
  }

  #keep(child: Child): void {
    this.#free.push(child);
    const leave = (): void => {
      const at = this.#free.indexOf(child);
      if (at >= 0) this.#free.splice(at, 1);
      end(child);
    };
    child.process.onEnd = leave;
    child.idle = setTimeout(leave, IDLE_MS);
    child.idle.unref();
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof ProcessEnded)) return error;
  return error.code === OUT_OF_MEMORY
    ? new SqlRefusal('too_large', 'The statement needs more memory than it may use.')
    : new SqlRefusal('too_large', 'The process that ran the statement ended. It may need too much memory.');
}

function end(child: Child): void {
  clearTimeout(child.idle);
  child.process.onEnd = null;
  child.process.kill();
}

/** Rejects when `signal` is aborted, or with `too_slow` after so many seconds. The timer also keeps the program running. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal, seconds: number): Promise<T> {
  let stop: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      const timer = setTimeout(
        () => reject(new SqlRefusal('too_slow', `The statement took longer than ${seconds} s and was stopped.`)),
        seconds * 1000,
      );
      stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      work.then(resolve, reject);
      if (signal.aborted) onAbort();
    });
  } finally {
    stop?.();
  }
}
