/**
 * `subscriptions/listen`: a stream that tells a client which of the flags it named have changed, until it disconnects. The
 * snapshots of flags are compared, which every node keeps up to date; reading them costs nothing while nothing changes.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { EventStream } from '../../../http/event-stream.ts';
import { STREAM_HEADERS } from '../../../http/server-sent-events.ts';
import type { FlagSnapshot, FlagSnapshots } from '../../flags/decide/flag-snapshots.ts';
import { META_KEYS } from '../rules/protocol.ts';
import { readAddress } from './resources.ts';

const CHECK_MS = 1000;
/** Checks between two comments that keep the connection open, after each of which access is checked. */
const CHECKS_PER_BEAT = 15;
const MAX_URIS = 100;
const MAX_STREAMS_PER_KEY = 5;
const RETRY_AFTER_SECONDS = 30;

interface Listener {
  id: string | number;
  /** Of the key. */
  keyId: string;
  params: JsonObject;
  reply: FastifyReply;
  /** Whether the key may read the flags of this project, now. */
  mayRead(projectId: number): Promise<boolean>;
}

/** `{flag/KEY or flags: uri}` by project. */
type Watched = Map<number, Map<string, string>>;

export class FlagSubscriptions {
  readonly #snapshots: Pick<FlagSnapshots, 'get'>;
  readonly #maxStreams: number;
  readonly #open = new Map<EventStream, { keyId: string; end: () => void }>();

  constructor(app: FastifyInstance, snapshots: Pick<FlagSnapshots, 'get'>, maxStreams: number) {
    this.#snapshots = snapshots;
    this.#maxStreams = maxStreams;
    // A stopping server waits for its connections, and these would never end.
    app.addHook('preClose', async () => {
      for (const { end } of this.#open.values()) end();
    });
  }

  async listen({ id, keyId, params, reply, mayRead }: Listener): Promise<void> {
    this.#requireRoom(keyId);
    const stream = new EventStream(reply.raw);
    const say = (message: JsonObject): void => stream.send(stringifyExact({ jsonrpc: '2.0', ...message }));
    const tag = { _meta: { [META_KEYS.subscription]: id } };
    const end = (): void => {
      say({ id, result: { resultType: 'complete', ...tag } });
      stream.end();
    };
    // Counted before anything is waited for, so that requests at the same time do not share the last place.
    this.#open.set(stream, { keyId, end });
    reply.raw.once('close', () => this.#open.delete(stream));
    const watched = await allowed(watchedBy(params['notifications']), mayRead);
    const known = await this.#read(watched);
    reply.hijack();
    reply.raw.writeHead(200, STREAM_HEADERS);
    const uris = [...watched.values()].flatMap((items) => [...items.values()]);
    const notifications = uris.length === 0 ? {} : { resourceSubscriptions: uris };
    say({ method: 'notifications/subscriptions/acknowledged', params: { notifications, ...tag } });
    const tell = (uri: string): void => say({ method: 'notifications/resources/updated', params: { uri, ...tag } });
    this.#watch(reply, stream, { watched, known, tell, end, mayRead });
  }

  #watch(
    reply: FastifyReply,
    stream: EventStream,
    work: {
      watched: Watched;
      known: Map<number, FlagSnapshot>;
      tell: (uri: string) => void;
      end: () => void;
      mayRead: Listener['mayRead'];
    },
  ): void {
    const { watched, tell, end, mayRead } = work;
    let { known } = work;
    let checks = 0;
    let isRunning = false;
    const check = async (): Promise<void> => {
      checks++;
      if (checks % CHECKS_PER_BEAT === 0) {
        if ((await allowed(watched, mayRead)).size < watched.size) return end();
        stream.comment('still here');
      }
      const now = await this.#read(watched);
      for (const [projectId, items] of watched) {
        for (const uri of changedIn(items, known.get(projectId), now.get(projectId))) tell(uri);
      }
      known = now;
    };
    const timer = setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      // If it cannot be found out, the client has to ask again.
      check()
        .catch(end)
        .finally(() => {
          isRunning = false;
        });
    }, CHECK_MS);
    reply.raw.once('close', () => clearInterval(timer));
    if (reply.raw.destroyed) reply.raw.emit('close');
  }

  async #read(watched: Watched): Promise<Map<number, FlagSnapshot>> {
    const projects = [...watched.keys()];
    const snapshots = await Promise.all(projects.map(async (id) => [id, await this.#snapshots.get(id)] as const));
    return new Map(snapshots);
  }

  #requireRoom(keyId: string): void {
    const own = [...this.#open.values()].filter((one) => one.keyId === keyId).length;
    if (own < MAX_STREAMS_PER_KEY && this.#open.size < this.#maxStreams) return;
    throw new Failure('unavailable', 'Too many streams are open. Close one, or try again later.', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
}

/** Only flags can be watched; what else was asked for is left out of what is acknowledged. */
function watchedBy(notifications: Json | undefined): Watched {
  const asked = isJsonObject(notifications) ? notifications['resourceSubscriptions'] : null;
  const watched: Watched = new Map();
  for (const uri of Array.isArray(asked) ? asked.slice(0, MAX_URIS) : []) {
    const address = typeof uri === 'string' ? readAddress(uri) : null;
    if (address === null || typeof uri !== 'string' || !/^flag(?:s$|\/)/.test(address.kind.path)) continue;
    const items = watched.get(address.projectId) ?? new Map<string, string>();
    watched.set(address.projectId, items.set(address.item, uri));
  }
  return watched;
}

async function allowed(watched: Watched, mayRead: Listener['mayRead']): Promise<Watched> {
  const open: Watched = new Map();
  for (const [projectId, items] of watched) if (await mayRead(projectId)) open.set(projectId, items);
  return open;
}

/** Addresses of the flags that are not as they were; an empty key stands for the list. */
function* changedIn(
  items: ReadonlyMap<string, string>,
  before: FlagSnapshot | undefined,
  now: FlagSnapshot | undefined,
): Iterable<string> {
  if (before === now) return;
  const versionsOf = (snapshot: FlagSnapshot | undefined) =>
    new Map((snapshot?.flags ?? []).map(({ key, id, version, active }) => [key, `${id} ${version} ${active}`]));
  const [old, fresh] = [versionsOf(before), versionsOf(now)];
  const keys = new Set([...old.keys(), ...fresh.keys()]);
  const changed = new Set([...keys].filter((key) => old.get(key) !== fresh.get(key)));
  for (const [key, uri] of items) if (key === '' ? changed.size > 0 : changed.has(key)) yield uri;
}
