/** The processes that run statements. A launcher starts them; they connect to a socket that only this user can open. */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FOLDER_PREFIX, SOCKET_NAME } from './abandoned-folders.ts';
import { packRequest, ResponseReader } from './child/messages.ts';
import type {
  ChildLimits,
  ChildReady,
  LauncherArguments,
  LauncherEvent,
  LauncherRequest,
  SqlRequest,
  SqlResponse,
} from './child/protocol.ts';

type Message = SqlResponse | ChildReady;

/** One process, from its start to its end. It answers one request at a time. */
export interface SqlProcess {
  /** Once it takes requests. Rejects with a `ProcessEnded`. */
  readonly ready: Promise<void>;
  /** Rejects with a `ProcessEnded`. */
  ask(request: SqlRequest): Promise<SqlResponse>;
  /** Called when it ends while nothing is asked. */
  onEnd: (() => void) | null;
  kill(): void;
}

export class ProcessEnded extends Error {
  /** Null: it was killed, or could not be started. */
  readonly code: number | null;
  /** Whether it had taken requests. */
  readonly wasReady: boolean;

  constructor(code: number | null, wasReady: boolean) {
    super('The process that ran the statement ended.');
    this.code = code;
    this.wasReady = wasReady;
  }
}

/** For the brackets around the rows. */
const SPARE_BYTES = 16;

export class SqlProcesses {
  readonly #programs: URL;
  readonly #limits: ChildLimits;
  readonly #processes = new Map<number, Process>();
  #launcher: ChildProcess | null = null;
  #listening: { server: Server; folder: string; socket: string } | null = null;
  #lastId = 0;

  /** `programs`: the folder that has them, built. */
  constructor(programs: URL, limits: ChildLimits) {
    this.#programs = programs;
    this.#limits = limits;
  }

  start(): SqlProcess {
    const id = ++this.#lastId;
    const launcher = this.#running();
    const tell = (request: LauncherRequest): void => {
      if (launcher.connected) launcher.send(request, () => undefined);
    };
    const started = new Process(() => {
      tell({ kill: id });
      this.#processes.delete(id);
    });
    this.#processes.set(id, started);
    tell({ start: id });
    return started;
  }

  close(): void {
    for (const process of this.#processes.values()) process.kill();
    // It ends its processes, and itself.
    if (this.#launcher?.connected) this.#launcher.disconnect();
    this.#launcher = null;
    this.#listening?.server.close();
    if (this.#listening !== null) rmSync(this.#listening.folder, { recursive: true, force: true });
    this.#listening = null;
  }

  /** Started with the first statement; a new one where it was killed. */
  #running(): ChildProcess {
    const { socket } = this.#listen();
    if (this.#launcher !== null) return this.#launcher;
    const file = fileURLToPath(new URL('sql-child.js', this.#programs));
    const given: LauncherArguments = { file, limits: this.#limits, socket };
    const launcher = fork(new URL('sql-launcher.js', this.#programs), [JSON.stringify(given)], {
      env: {},
      execArgv: ['--max-old-space-size=64', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    launcher.on('message', ({ ended, code }: LauncherEvent) => this.#end(ended, code));
    const forget = (): void => {
      if (this.#launcher !== launcher) return;
      this.#launcher = null;
      for (const id of [...this.#processes.keys()]) this.#end(id, null);
    };
    launcher.on('error', forget);
    launcher.on('exit', forget);
    launcher.unref();
    launcher.channel?.unref();
    this.#launcher = launcher;
    return launcher;
  }

  #end(id: number, code: number | null): void {
    const process = this.#processes.get(id);
    this.#processes.delete(id);
    process?.end(code);
  }

  /** Of this server, for files that are removed with it. */
  get folder(): string {
    return this.#listen().folder;
  }

  #listen(): { socket: string; folder: string } {
    // Temporary folders are cleaned now and then: processes could no longer connect.
    if (this.#listening !== null && !existsSync(this.#listening.socket)) this.close();
    if (this.#listening !== null) return this.#listening;
    const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
    const socket = join(folder, SOCKET_NAME);
    const server = createServer((connection) => this.#welcome(connection));
    // No process can connect then, and statements are refused.
    server.on('error', () => this.close());
    server.unref();
    server.listen(socket);
    this.#listening = { server, folder, socket };
    return this.#listening;
  }

  /** The first message of a connection says whose it is. */
  #welcome(connection: Socket): void {
    connection.unref();
    // A process that has ended is noticed by its end.
    connection.on('error', () => undefined);
    nextMessage(connection, new ResponseReader(0)).then(
      (message) => {
        const process = 'readyProcess' in message ? this.#processes.get(message.readyProcess) : undefined;
        if (process === undefined) connection.destroy();
        else process.connect(connection);
      },
      () => connection.destroy(),
    );
  }
}

/** Rejects where it cannot be read. */
const nextMessage = (connection: Socket, reader: ResponseReader): Promise<Message> =>
  new Promise<Message>((resolve, reject) => {
    connection.on('data', (piece) => {
      try {
        const message = reader.add(piece);
        if (message !== null) resolve(message);
      } catch (error) {
        reject(error as Error);
      }
    });
  }).finally(() => connection.removeAllListeners('data'));

interface Waiting<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

class Process implements SqlProcess {
  readonly ready: Promise<void>;
  onEnd: (() => void) | null = null;
  readonly #kill: () => void;
  #starting: Waiting<void> | null = null;
  #asking: Waiting<Message> | null = null;
  #connection: Socket | null = null;

  constructor(kill: () => void) {
    this.#kill = kill;
    this.ready = new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
    // Whoever waits hears of it.
    this.ready.catch(() => undefined);
  }

  connect(connection: Socket): void {
    this.#connection = connection;
    this.#starting?.resolve();
    this.#starting = null;
  }

  async ask(request: SqlRequest): Promise<SqlResponse> {
    await this.ready;
    const connection = this.#connection;
    if (connection === null) throw new ProcessEnded(null, true);
    // The process refuses larger answers itself, with a reason.
    const reader = new ResponseReader(request.maxBytes + SPARE_BYTES);
    try {
      return (await new Promise<Message>((resolve, reject) => {
        this.#asking = { resolve, reject };
        nextMessage(connection, reader).then(resolve, reject);
        connection.write(packRequest(request));
      })) as SqlResponse;
    } finally {
      this.#asking = null;
    }
  }

  kill(): void {
    this.#kill();
    this.end(null);
  }

  end(code: number | null): void {
    const error = new ProcessEnded(code, this.#starting === null);
    this.#starting?.reject(error);
    this.#starting = null;
    this.#connection?.destroy();
    this.#connection = null;
    if (this.#asking === null) this.onEnd?.();
    else this.#asking.reject(error);
  }
}
