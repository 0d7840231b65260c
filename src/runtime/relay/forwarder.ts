/**
 * Sends what a relay has accepted to its server, oldest first. What was sent and not confirmed is sent again, with the same
 * ids, so the server stores it once. Nothing is removed from the disk before the server has it.
 */
import { parseExact, stringifyExact } from '../../core/json/exact-json.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Logger } from '../../lib/log.ts';
import type { IngestLog, IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { JournalContext } from './journal-events.ts';
import type { Upstream } from './upstream.ts';

interface ForwarderDeps {
  upstream: Pick<Upstream, 'post'>;
  journal: Pick<IngestLog, 'trim'>;
  reader: IngestLogReader;
  /** The project's own key, which events are sent with; null: not known yet. */
  projectKey(): string | null;
  log: Logger;
}

/** Entries of the same sender, in order. */
interface Batch {
  context: JournalContext;
  events: JsonObject[];
}

const PATH = '/batch/';
const MAX_EVENTS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_PARALLEL = 8;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
const IDLE_MS = 1000;

export class Forwarder {
  readonly #deps: ForwarderDeps;
  #position: number;
  #retryMs = MIN_RETRY_MS;
  #wake: () => void = () => undefined;
  #isStopping = false;
  #running: Promise<void> | null = null;
  forwarded = 0;
  rejected = 0;

  /** `position`: what is before it was removed. */
  constructor(deps: ForwarderDeps, position: number) {
    this.#deps = deps;
    this.#position = position;
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        const didSome = await this.#forward();
        this.#retryMs = MIN_RETRY_MS;
        if (!didSome) await this.#pause(IDLE_MS);
      } catch (err) {
        this.#deps.log.warn({ err, retry_ms: this.#retryMs }, 'events could not be sent to the server; they wait here');
        await this.#pause(this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #forward(): Promise<boolean> {
    const { reader, journal, projectKey } = this.#deps;
    const key = projectKey();
    if (key === null) return false;
    const entries = await reader.read(this.#position, MAX_EVENTS, MAX_BYTES);
    const last = entries.at(-1);
    if (last === undefined) return false;
    const batches = batchesOf(entries);
    for (let i = 0; i < batches.length; i += MAX_PARALLEL) {
      await Promise.all(batches.slice(i, i + MAX_PARALLEL).map((batch) => this.#send(key, batch)));
    }
    await journal.trim(last.seq);
    this.#position = last.seq;
    return true;
  }

  async #send(key: string, { context, events }: Batch): Promise<void> {
    const { userAgent, ip, origin, historical } = context;
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': userAgent };
    if (ip !== null) headers['x-forwarded-for'] = ip;
    if (origin !== '') headers['origin'] = origin;
    const body = { api_key: key, ...(historical ? { historical_migration: true } : {}), batch: events };
    const { status, text } = await this.#deps.upstream.post(PATH, stringifyExact(body), { headers });
    if (status >= 200 && status < 300) {
      this.forwarded += events.length;
      return;
    }
    // What the server will never take; everything else may be different later.
    if (status !== 400 && status !== 413) throw new Error(`${status} ${text.slice(0, 200)}`);
    // One event that it does not take must not take others with it.
    if (events.length > 1) return this.#sendHalves(key, { context, events });
    this.rejected += events.length;
    this.#deps.log.error({ status, detail: text.slice(0, 200), events: events.length }, 'the server refused events');
  }

  async #sendHalves(key: string, { context, events }: Batch): Promise<void> {
    const middle = events.length >> 1;
    await this.#send(key, { context, events: events.slice(0, middle) });
    await this.#send(key, { context, events: events.slice(middle) });
  }
}

/** By sender, each in the order of arrival. */
function batchesOf(entries: readonly LogEntry[]): Batch[] {
  const batches = new Map<string, Batch>();
  for (const { context, payload } of entries) {
    const events = parseExact<JsonObject[]>(payload.toString());
    const batch = batches.get(context);
    if (batch === undefined) batches.set(context, { context: JSON.parse(context), events });
    else batch.events.push(...events);
  }
  return [...batches.values()];
}
