/**
 * All open streams of this process. When the definitions of a project may have changed, its streams are told the new
 * version: the same few buffers, in short slices, so that decisions are not kept waiting. Clients that do not read are
 * skipped until they do.
 */
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../../core/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { FlagSnapshots } from '../decide/flag-snapshots.ts';
import type { DefinitionSource, DefinitionState } from './definition-versions.ts';
import { FlagStream, type StreamCredential, type StreamRequest } from './flag-stream.ts';
import { GONE, HEARTBEAT, StreamMessages } from './stream-messages.ts';

interface FlagStreamsDeps {
  source: DefinitionSource;
  flagSnapshots: Pick<FlagSnapshots, 'onInvalidate'>;
  clock: Clock;
  log: Logger;
  config: { maxStreams: number; maxStreamsPerNetwork: number };
  /** Tests make them shorter. */
  times?: Partial<typeof TIMES>;
}

const TIMES = {
  /** Changes within this time are told as one. */
  gatherMs: 20,
  /** Between two looks at the streams and their keys. */
  checkMs: 1000,
  heartbeatMs: 25_000,
  /** After which a client that does not read is disconnected. */
  maxStuckMs: 60_000,
};

/** How long streams are written to before other work gets its turn. */
const SLICE_MS = 5;
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 5000;
const MIN_RETRY_AFTER_SECONDS = 5;
const MAX_RETRY_AFTER_SECONDS = 30;

/** The streams of one project. */
interface Channel {
  projectId: number;
  streams: Set<FlagStream>;
  /** By id, with the number of their streams. */
  credentials: Map<string, { credential: StreamCredential; count: number }>;
  /** The version that they are told. */
  messages: StreamMessages;
  isSending: boolean;
  /** Set while changes are gathered. */
  timer: NodeJS.Timeout | null;
}

export class FlagStreams {
  readonly #deps: FlagStreamsDeps;
  readonly #times: typeof TIMES;
  readonly #channels = new Map<number, Channel>();
  /** Network and key → how many. */
  readonly #counts = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #size = 0;
  #turn = 0;
  #opened = 0;
  #checks = 0;
  #isChecking = false;

  constructor(deps: FlagStreamsDeps) {
    this.#deps = deps;
    this.#times = { ...TIMES, ...deps.times };
    deps.flagSnapshots.onInvalidate = (projectId) => this.#onInvalidate(projectId);
    this.#timer = setInterval(() => this.#check(), this.#times.checkMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#size;
  }

  /** Throws where there is no project. `version`: what a client has heard, perhaps of another node that was faster. */
  async state(projectId: number, version: number | null = null): Promise<DefinitionState> {
    const state = await this.#deps.source.read(projectId);
    if (state === null) throw new Failure('not_found', 'The project does not exist any more.');
    if (version === null || version <= state.version) return state;
    await this.waitFor(projectId, version);
    return this.state(projectId);
  }

  /** Resolves when decisions are made with this version of the definitions or a later one. */
  waitFor(projectId: number, version: number): Promise<void> {
    return this.#deps.source.waitFor(projectId, version);
  }

  /** Throws if no further stream may be opened. */
  requireRoom(request: Counted): void {
    const { maxStreams, maxStreamsPerNetwork } = this.#deps.config;
    const retryAfter = Math.round(this.#spread(MIN_RETRY_AFTER_SECONDS, MAX_RETRY_AFTER_SECONDS));
    if (this.#size >= maxStreams) {
      throw new Failure('unavailable', 'Too many streams are open. Poll, or try again later.', { retryAfter });
    }
    if ((this.#counts.get(countName(request)) ?? 0) >= maxStreamsPerNetwork) {
      const detail = `More than ${maxStreamsPerNetwork} streams of your network are open with this key. Poll, or try again later.`;
      throw new Failure('throttled', detail, { retryAfter });
    }
  }

  /** `head`: what the response starts with. `state` is as of now: nothing was waited for since. */
  open(socket: Socket, head: string, request: StreamRequest, state: DefinitionState): void {
    if (socket.destroyed) return;
    const stream = new FlagStream(socket, request, this.#opened++);
    const channel = this.#channelOf(request.projectId, state);
    const name = countName(request);
    this.#size++;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    channel.streams.add(stream);
    const { credential } = request;
    const known = channel.credentials.get(credential.id);
    if (known === undefined) channel.credentials.set(credential.id, { credential, count: 1 });
    else known.count++;
    socket.once('close', () => this.#remove(channel, stream, name));
    socket.on('drain', () => {
      stream.onDrain();
      this.#tell(channel, stream);
    });
    const retryMs = Math.round(this.#spread(MIN_RETRY_MS, Math.max(MAX_RETRY_MS, this.#size)));
    stream.write(Buffer.from(`${head}retry: ${retryMs}\n\n`), performance.now());
    this.#tell(channel, stream);
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.#timer);
    for (const { streams, timer } of this.#channels.values()) {
      if (timer !== null) clearTimeout(timer);
      for (const { socket } of streams) socket.end();
    }
  }

  /** Not random, but even: neighbours in time get times that are far apart. */
  #spread(min: number, max: number): number {
    this.#turn = (this.#turn + 1) % 1_000_000;
    return min + (max - min) * ((this.#turn * 0.618_033_988_75) % 1);
  }

  #channelOf(projectId: number, state: DefinitionState): Channel {
    const known = this.#channels.get(projectId);
    if (known !== undefined) {
      this.#setState(known, state);
      return known;
    }
    const messages = new StreamMessages(state, 0);
    const [streams, credentials]: [Channel['streams'], Channel['credentials']] = [new Set(), new Map()];
    const channel: Channel = { projectId, streams, credentials, messages, isSending: false, timer: null };
    this.#channels.set(projectId, channel);
    return channel;
  }

  #remove(channel: Channel, stream: FlagStream, name: string): void {
    if (!channel.streams.delete(stream)) return;
    this.#size--;
    const count = (this.#counts.get(name) ?? 1) - 1;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
    const { id } = stream.request.credential;
    const known = channel.credentials.get(id);
    if (known !== undefined && --known.count === 0) channel.credentials.delete(id);
    if (channel.streams.size > 0) return;
    if (channel.timer !== null) clearTimeout(channel.timer);
    if (this.#channels.get(channel.projectId) === channel) this.#channels.delete(channel.projectId);
  }

  #onInvalidate(projectId: number | null): void {
    const one = projectId === null ? undefined : this.#channels.get(projectId);
    const changed = projectId === null ? this.#channels.values() : one === undefined ? [] : [one];
    for (const channel of changed) this.#gather(channel);
  }

  #gather(channel: Channel): void {
    channel.timer ??= setTimeout(() => {
      channel.timer = null;
      void this.#refresh(channel, () => this.#deps.source.read(channel.projectId));
    }, this.#times.gatherMs);
  }

  async #refresh(channel: Channel, read: () => Promise<DefinitionState | null>): Promise<void> {
    try {
      const state = await read();
      if (state === null) this.#endGone(channel);
      else if (this.#setState(channel, state)) await this.#send(channel);
    } catch (err) {
      // The store may be unavailable; it is asked again with the next check.
      this.#deps.log.debug({ err }, 'could not read the version of flag definitions');
    }
  }

  /** False if it is no other version. */
  #setState(channel: Channel, state: DefinitionState): boolean {
    const { version, etag } = channel.messages.state;
    if (version === state.version && etag === state.etag) return false;
    channel.messages = new StreamMessages(state, channel.streams.size);
    return true;
  }

  /** A version that comes while another is being sent is told to the rest at once, and then to all. */
  async #send(channel: Channel): Promise<void> {
    if (channel.isSending) return;
    channel.isSending = true;
    try {
      let sent: StreamMessages | null = null;
      while (sent !== channel.messages) {
        sent = channel.messages;
        let until = performance.now() + SLICE_MS;
        for (const stream of channel.streams) {
          const now = performance.now();
          stream.tell(channel.messages, now);
          if (now < until) continue;
          await nextTurn();
          until = performance.now() + SLICE_MS;
        }
      }
    } finally {
      channel.isSending = false;
    }
  }

  #tell(channel: Channel, stream: FlagStream): void {
    stream.tell(channel.messages, performance.now());
  }

  #endGone(channel: Channel): void {
    for (const { socket } of channel.streams) socket.end(GONE);
  }

  #check(): void {
    if (this.#isChecking || this.#size === 0) return;
    this.#isChecking = true;
    this.#checkAll()
      .catch((err: unknown) => this.#deps.log.warn({ err }, 'could not check the open streams'))
      .finally(() => {
        this.#isChecking = false;
      });
  }

  async #checkAll(): Promise<void> {
    this.#checks++;
    for (const channel of [...this.#channels.values()]) {
      await this.#beat(channel);
      // Whether the project and the keys still exist, and whether a change was missed.
      await this.#refresh(channel, () => this.#deps.source.recheck(channel.projectId));
      for (const { credential } of [...channel.credentials.values()]) await this.#endIfRevoked(channel, credential);
    }
  }

  async #beat({ streams }: Channel): Promise<void> {
    const time = this.#deps.clock.now();
    const beats = Math.max(1, Math.round(this.#times.heartbeatMs / this.#times.checkMs));
    let until = performance.now() + SLICE_MS;
    for (const stream of streams) {
      const now = performance.now();
      if (stream.request.endsAt <= time) stream.socket.end();
      else if (stream.isStuck(now, this.#times.maxStuckMs)) stream.socket.destroy();
      else if (stream.turn % beats === this.#checks % beats && stream.isWritable) stream.write(HEARTBEAT, now);
      if (now < until) continue;
      await nextTurn();
      until = performance.now() + SLICE_MS;
    }
  }

  /** While the stores cannot be read, streams stay open. */
  async #endIfRevoked({ streams }: Channel, credential: StreamCredential): Promise<void> {
    if (await credential.isValid().catch(() => true)) return;
    for (const { request, socket } of streams) if (request.credential.id === credential.id) socket.end();
  }
}

/** What the streams of one client have in common. */
type Counted = Pick<StreamRequest, 'projectId' | 'network' | 'credential'>;

const countName = ({ projectId, network, credential }: Counted): string => `${projectId} ${network} ${credential.id}`;
