/**
 * The definitions of the server that a relay follows: received over its stream, kept in memory and on disk. While the
 * server is away, the last ones stay in force.
 */
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../core/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import { DefinitionHistory } from '../../features/flags/rules/definition-history.ts';
import {
  type DefinitionSource,
  type DefinitionState,
  snapshotParts,
} from '../../features/flags/streams/definition-versions.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { DefinitionsCopy } from './definitions-copy.ts';
import { applyChange, projectOf, type ReceivedDefinitions, snapshotOf } from './received-definitions.ts';
import type { Upstream } from './upstream.ts';

interface FollowDeps {
  upstream: Pick<Upstream, 'stream'>;
  copy: DefinitionsCopy;
  /** Loads what the flags need besides. */
  beforeUse(snapshot: FlagSnapshot): Promise<void>;
  clock: Clock;
  log: Logger;
}

interface Followed {
  received: ReceivedDefinitions;
  project: Project;
  state: DefinitionState;
}

const PATH = '/flags/definitions/stream?full=true';
/** The server sends something every 25 seconds. */
const MAX_SILENCE_MS = 60_000;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** How long a request waits for a version that its sender has heard of elsewhere. */
const MAX_WAIT_MS = 1000;
/** How often the copy on disk is told that it is still current. */
const TOUCH_MS = 60_000;

export class FollowedDefinitions implements DefinitionSource {
  readonly #deps: FollowDeps;
  #followed: Followed | null = null;
  #heardAt = 0;
  #touchedAt = 0;
  #isConnected = false;
  #isClosed = false;
  #retryMs = MIN_RETRY_MS;
  #timer: NodeJS.Timeout | null = null;
  #response: IncomingMessage | null = null;
  readonly #waiting = new Set<() => void>();
  /** Streams of clients listen to it. */
  onInvalidate: (projectId: number | null) => void = () => undefined;

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  async open(): Promise<void> {
    const { copy, log } = this.#deps;
    try {
      const stored = await copy.read();
      if (stored !== null) await this.#take(stored.definitions);
      this.#heardAt = stored?.heard_at ?? 0;
    } catch (err) {
      log.warn({ err }, 'the copy of the definitions cannot be read; the server is asked for all of them');
    }
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#response?.destroy();
  }

  /** Null until the server has been reached once. */
  get project(): Project | null {
    return this.#followed?.project ?? null;
  }

  get version(): number | null {
    return this.#followed?.received.version ?? null;
  }

  /** How long the server has not been heard of; 0 while it is connected, null if it never was. */
  staleSeconds(): number | null {
    if (this.#isConnected) return 0;
    return this.#heardAt === 0 ? null : Math.max(0, Math.round((this.#deps.clock.now() - this.#heardAt) / 1000));
  }

  cached(projectId: number): FlagSnapshot | undefined {
    return this.#followed?.project.id === projectId ? this.#followed.state.snapshot : undefined;
  }

  async get(projectId: number): Promise<FlagSnapshot> {
    const snapshot = this.cached(projectId);
    if (snapshot !== undefined) return snapshot;
    throw new Failure('unavailable', 'This relay has not reached its server yet.', { retryAfter: 2 });
  }

  async read(projectId: number): Promise<DefinitionState | null> {
    if (this.#followed === null) return null;
    return this.#followed.project.id === projectId ? this.#followed.state : null;
  }

  recheck(projectId: number): Promise<DefinitionState | null> {
    return this.read(projectId);
  }

  waitFor(_projectId: number, version: number): Promise<void> {
    if ((this.version ?? 0) >= version) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const check = (): void => {
        if ((this.version ?? 0) >= version) end();
      };
      const timer = setTimeout(end, MAX_WAIT_MS);
      this.#waiting.add(check);
    });
  }

  async #connect(): Promise<void> {
    const { upstream, log } = this.#deps;
    try {
      const { version } = this;
      const headers = version === null ? {} : { 'last-event-id': String(version) };
      const response = await upstream.stream(PATH, { accept: 'text/event-stream', ...headers });
      this.#response = response;
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await textOf(response)}`);
      log.info('connected to the server');
      await this.#listen(response);
      throw new Error('the server has ended the stream');
    } catch (err) {
      if (this.#isConnected) this.#heardAt = this.#deps.clock.now();
      this.#isConnected = false;
      if (this.#isClosed) return;
      log.warn({ err, retry_ms: this.#retryMs }, 'not connected to the server; flags are answered as last heard');
      this.#timer = setTimeout(() => void this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    }
  }

  async #listen(response: IncomingMessage): Promise<void> {
    let rest = '';
    let silence = setTimeout(() => response.destroy(), MAX_SILENCE_MS);
    try {
      for await (const chunk of response.setEncoding('utf8')) {
        clearTimeout(silence);
        silence = setTimeout(() => response.destroy(), MAX_SILENCE_MS);
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) await this.#onBlock(block);
        this.#touch();
      }
    } finally {
      clearTimeout(silence);
    }
  }

  async #onBlock(block: string): Promise<void> {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    const retry = Number(fields.get('retry'));
    if (retry > 0) this.#retryMs = Math.min(retry, MAX_RETRY_MS);
    const event = fields.get('event');
    if (event === 'gone') return this.#onGone();
    if (event !== 'reset' && event !== 'version') return;
    const before = this.#followed?.received ?? null;
    const received = applyChange(before, parseExact(fields.get('data') ?? 'null'), event === 'reset');
    if (received === null) throw new Error('the server sent a change of definitions that are not here');
    this.#isConnected = true;
    if (before?.version === received.version && before.etag !== received.etag && event !== 'reset') {
      // The server has been restored from a backup: the same number, but other definitions.
      this.#followed = null;
      throw new Error('the server has other definitions of the same version');
    }
    if (event === 'version' && before?.version === received.version) return;
    await this.#take(received);
    this.#save();
    this.onInvalidate(received.project.id);
    for (const check of [...this.#waiting]) check();
  }

  #onGone(): void {
    const { log, copy } = this.#deps;
    log.error('the project was deleted on the server');
    const id = this.#followed?.project.id ?? null;
    this.#followed = null;
    void copy.remove().catch((err: unknown) => log.error({ err }, 'the copy of the definitions was not removed'));
    this.onInvalidate(id);
  }

  async #take(received: ReceivedDefinitions): Promise<void> {
    const last = this.#followed?.state ?? null;
    const project = projectOf(received);
    const snapshot = snapshotOf(received, last?.snapshot ?? null);
    await this.#deps.beforeUse(snapshot);
    const parts = snapshotParts(project, snapshot);
    const { version, etag, changed_at: changedAt } = received;
    const isNewer = last !== null && last.version < version;
    const history = isNewer ? last.history : new DefinitionHistory(version, parts);
    if (isNewer) history.update(version, parts);
    this.#followed = { received, project, state: { version, etag, changedAt, snapshot, history } };
  }

  #touch(): void {
    if (!this.#isConnected || this.#followed === null) return;
    this.#heardAt = this.#deps.clock.now();
    if (this.#heardAt - this.#touchedAt >= TOUCH_MS) this.#save();
  }

  #save(): void {
    const { copy, clock, log } = this.#deps;
    if (this.#followed === null) return;
    this.#touchedAt = clock.now();
    copy
      .write({ heard_at: this.#touchedAt, definitions: this.#followed.received })
      .catch((err: unknown) => log.error({ err }, 'the copy of the definitions could not be written'));
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text.slice(0, 500);
}
