/**
 * The port for PostgreSQL's clients, off unless a port is set. The password is a personal key with the scope `query:read`,
 * the database is the id of a project; the user name means nothing.
 *
 * Passwords are sent as they are, so a client on another machine needs TLS.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Caller, type CallerDeps, callerByKey, hasProject, requireKeyScopes } from '../../../access/callers.ts';
import type { KeyGuard } from '../../../access/key-guard.ts';
import { Failure } from '../../../core/errors.ts';
import { requiredScopes } from '../../../core/scopes.ts';
import { HOUR_MS, SECOND_MS } from '../../../core/time/units.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/log.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { SETTINGS } from '../rules/postgres-tree.ts';
import type { SqlQueries } from '../sql-queries.ts';
import * as wire from './messages.ts';
import { errorFields, PostgresConnection } from './postgres-connection.ts';

export interface PostgresPortDeps extends CallerDeps {
  keys: KeyGuard;
  sql: SqlQueries;
  ids: Pick<Ids, 'seed'>;
  log: Logger;
}

interface PortOptions {
  host: string;
  port: number;
  /** Null: only clients on this machine are served. */
  tls: { cert: string; key: string } | null;
}

const MAX_CONNECTIONS = 100;
const SIGN_IN_MS = 10 * SECOND_MS;
const IDLE_MS = HOUR_MS;
/** Of the protocol. */
const VERSION_3 = 196_608;
const CANCEL = 80_877_102;
const TLS_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
/** Told to every client at the start. */
const TOLD = ['server_version', 'server_encoding', 'client_encoding', 'DateStyle', 'TimeZone', 'integer_datetimes'];
const ALSO_TOLD = [
  'standard_conforming_strings',
  'default_transaction_read_only',
  'is_superuser',
  'session_authorization',
];

export class PostgresPort {
  readonly #deps: PostgresPortDeps;
  readonly #options: PortOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** By the number and secret that a client cancels with. */
  readonly #running = new Map<string, PostgresConnection>();
  #lastId = 0;

  constructor(deps: PostgresPortDeps, options: PortOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#server = createServer((socket) => void this.#serve(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** That it listens on; 0 before. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(raw: Socket): Promise<void> {
    this.#sockets.add(raw);
    raw.on('close', () => this.#sockets.delete(raw));
    raw.on('error', () => raw.destroy());
    raw.setTimeout(SIGN_IN_MS, () => raw.destroy());
    try {
      await this.#talk(raw);
    } catch (error) {
      if (!raw.destroyed) raw.end(wire.errorResponse({ ...startError(error), isFatal: true }));
    }
    raw.end();
  }

  async #talk(raw: Socket): Promise<void> {
    const started = await this.#start(raw);
    if (started === null) return;
    const { socket, fields, reader } = started;
    const send = (bytes: Buffer): void => {
      if (!socket.destroyed) socket.write(bytes);
    };
    const { caller, key, project } = await this.#signIn(socket, reader, fields, send);
    raw.setTimeout(IDLE_MS);
    const connection = new PostgresConnection({
      run: async (query, signal) => {
        // The key may have been revoked, or its owner may have left.
        await this.#check(key, project, socket.remoteAddress ?? '');
        return this.#deps.sql.run(project.id, caller.user.id, query, signal).catch((err: unknown) => {
          if (!(err instanceof Failure)) this.#deps.log.error({ err }, 'a statement failed');
          throw err;
        });
      },
      send,
    });
    const id = ++this.#lastId;
    const secret = this.#deps.ids.seed().readInt32BE(0) & 0x7fff_ffff;
    this.#running.set(`${id} ${secret}`, connection);
    raw.on('close', () => connection.cancel());
    send(Buffer.concat([wire.authenticated(), ...greeting(), wire.backendKey(id, secret), wire.ready('I')]));
    try {
      for await (const message of messages(socket, reader)) {
        if (message.kind === 'X') break;
        await connection.handle(message);
        await drained(socket);
      }
    } finally {
      this.#running.delete(`${id} ${secret}`);
    }
  }

  /** Null: there is nothing to talk about. */
  async #start(raw: Socket) {
    let socket: Socket = raw;
    for (let asked = 0; asked < 3; asked++) {
      const reader = new wire.MessageReader();
      const message = await nextMessage(socket, reader);
      if (message === null) return null;
      const fields = new wire.FieldReader(message.body);
      const code = fields.int32();
      if (code === CANCEL) {
        this.#running.get(`${fields.int32()} ${fields.int32()}`)?.cancel();
        return null;
      }
      if (code === TLS_REQUEST && this.#options.tls !== null) {
        // Bytes from before the encryption must not be taken for bytes within it.
        if (reader.hasMore) throw new wire.ProtocolError('Data before the encryption.');
        raw.write('S');
        socket = new TLSSocket(raw, { isServer: true, ...this.#options.tls, minVersion: 'TLSv1.2' });
        socket.on('error', () => raw.destroy());
      } else if (code === TLS_REQUEST || code === GSS_REQUEST) raw.write('N');
      else if (code === VERSION_3) return { socket, fields: readFields(fields), reader };
      else throw new wire.ProtocolError('Only version 3 of the protocol is supported.');
    }
    throw new wire.ProtocolError('Too many requests before the start.');
  }

  async #signIn(
    socket: Socket,
    reader: wire.MessageReader,
    fields: ReadonlyMap<string, string>,
    send: (bytes: Buffer) => void,
  ) {
    if (!(socket instanceof TLSSocket) && !isLocal(socket.remoteAddress)) {
      throw new Failure('forbidden', 'Connect with TLS (sslmode=require): the password is a key.', { code: '28000' });
    }
    send(wire.askForPassword());
    reader.start();
    const message = await nextMessage(socket, reader);
    if (message?.kind !== 'p') throw new wire.ProtocolError('A password was expected.');
    const key = new wire.FieldReader(message.body).text();
    const id = /^(?:project_?)?(\d{1,15})$/.exec(fields.get('database') ?? fields.get('user') ?? '')?.[1];
    const project = id === undefined ? null : await this.#deps.metadata.projects.get(Number(id));
    const caller = await this.#check(key, project, socket.remoteAddress ?? '');
    // Without a project, the check has failed.
    if (project === null) throw noDatabase();
    return { caller, key, project };
  }

  async #check(key: string, project: Project | null, address: string): Promise<Caller> {
    const caller = await callerByKey(this.#deps, key, 'body', address).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'unauthenticated') {
        throw new Failure('unauthenticated', 'The password is not a valid personal API key.', { code: '28P01' });
      }
      throw error;
    });
    if (project === null || !hasProject(caller, project)) throw noDatabase();
    requireKeyScopes(caller, requiredScopes('query', 'read'));
    return caller;
  }
}

/** The same for projects of others. */
const noDatabase = (): Failure =>
  new Failure('not_found', 'There is no such database: use the id of a project, such as 1.', { code: '3D000' });

const isLocal = (address = ''): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address);

function startError(error: unknown): { code: string; text: string } {
  if (error instanceof wire.ProtocolError) return { code: '08P01', text: error.message };
  if (error instanceof Failure && error.kind === 'forbidden') return { code: '42501', text: error.message };
  return errorFields(error);
}

function readFields(fields: wire.FieldReader): Map<string, string> {
  const found = new Map<string, string>();
  while (!fields.isAtEnd) {
    const name = fields.text();
    if (name === '') break;
    found.set(name, fields.text());
  }
  return found;
}

const greeting = (): Buffer[] =>
  [...TOLD, ...ALSO_TOLD].map((name) => wire.parameterStatus(name, SETTINGS[name.toLowerCase()] ?? ''));

/** One at a time: the client waits while a statement runs. */
async function* messages(socket: Socket, reader: wire.MessageReader): AsyncGenerator<wire.WireMessage> {
  for (;;) {
    const message = await nextMessage(socket, reader);
    if (message === null) return;
    yield message;
  }
}

/** Null when the client is gone. */
async function nextMessage(socket: Socket, reader: wire.MessageReader): Promise<wire.WireMessage | null> {
  for (;;) {
    const message = reader.next();
    if (message !== null) return message;
    const chunk = await nextChunk(socket);
    if (chunk === null) return null;
    reader.add(chunk);
  }
}

function nextChunk(socket: Socket): Promise<Buffer | null> {
  const waiting = socket.read() as Buffer | null;
  if (waiting !== null) return Promise.resolve(waiting);
  if (socket.destroyed || socket.readableEnded) return Promise.resolve(null);
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.off('readable', onReadable);
      socket.off('close', onEnd);
      socket.off('end', onEnd);
    };
    const onReadable = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null && !socket.readableEnded) return;
      finish();
      resolve(chunk);
    };
    const onEnd = (): void => {
      finish();
      resolve(null);
    };
    socket.on('readable', onReadable);
    socket.on('close', onEnd);
    socket.on('end', onEnd);
  });
}

/** A client that does not read its answer is not asked for more. */
function drained(socket: Socket): Promise<void> | undefined {
  if (!socket.writableNeedDrain || socket.destroyed) return undefined;
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', () => resolve());
  });
}
