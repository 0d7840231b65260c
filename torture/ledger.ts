/** Every event that clients sent, and whether it was acknowledged: what the stores are checked against. */
import { NumberColumn } from './number-column.ts';

export interface SentEvent {
  /** Unique, and sent as a property, to recognize the event: see `Ledger.newMarker`. */
  marker: string;
  /** Whether it has a uuid, `messageId` or `$insert_id`, so that a retry is a duplicate. */
  hasIdentity: boolean;
  /** Events without a name are dropped. */
  isNameless: boolean;
  distinctId: string;
  /** Position among the events of its distinct id, from 1; null if the order does not matter. */
  number: number | null;
  /** Whether it merges another distinct id: `joinedId`. */
  joins: boolean;
}

export interface SentRequest {
  /** Its number in the ledger. */
  id: number;
  body: string;
  path: string;
  /** How many. */
  events: number;
  /** Whether repeating it stores nothing more. */
  isRepeatable: boolean;
}

/** How often the request of an event was sent, and how often acknowledged. */
export interface Fate {
  attempts: number;
  acknowledged: number;
}

/** The distinct id that an event merges. */
export const joinedId = (marker: string): string => `joined-${marker}`;

const HAS_IDENTITY = 1;
const IS_NAMELESS = 2;
const JOINS = 4;
const MAX_RECENT = 200;

/** Keeps numbers only, since a long run has millions of events; texts are kept of the latest requests. */
export class Ledger {
  /** Responses by status; 0 for none. */
  readonly answers = new Map<number, number>();
  /** The latest requests that can be repeated, of the latest ones. */
  readonly recent: SentRequest[] = [];
  acknowledgedEvents = 0;
  requests = 0;
  #events = 0;
  // By the number of the request.
  readonly #attempts = new NumberColumn();
  readonly #acknowledged = new NumberColumn();
  // By the number in the event's marker.
  readonly #request = new NumberColumn();
  readonly #flags = new NumberColumn();
  readonly #distinctId = new NumberColumn();
  readonly #number = new NumberColumn();
  /** There are few distinct ids. */
  readonly #ids: string[] = [];
  readonly #indexOfId = new Map<string, number>();

  /** For the next event; it must be added with a request. */
  newMarker(): string {
    return `m${++this.#events}`;
  }

  /** The number of an event, from 1; null if none was sent with this marker. */
  numberOf(marker: string | null): number | null {
    const number = Number(/^m([1-9][0-9]*)$/.exec(marker ?? '')?.[1] ?? Number.NaN);
    return number <= this.#events ? number : null;
  }

  addRequest(path: string, body: string, events: readonly SentEvent[]): SentRequest {
    const id = this.requests++;
    for (const event of events) this.#addEvent(id, event);
    const isRepeatable = events.every(({ hasIdentity }) => hasIdentity);
    const sent = { id, path, body, events: events.length, isRepeatable };
    this.recent.push(sent);
    if (this.recent.length > MAX_RECENT) this.recent.shift();
    return sent;
  }

  #addEvent(request: number, event: SentEvent): void {
    const at = this.numberOf(event.marker);
    if (at === null) throw new Error(`${event.marker} is not a marker of this ledger`);
    this.#request.set(at, request);
    const { hasIdentity, isNameless, joins } = event;
    this.#flags.set(at, (hasIdentity ? HAS_IDENTITY : 0) | (isNameless ? IS_NAMELESS : 0) | (joins ? JOINS : 0));
    this.#distinctId.set(at, this.#idIndex(event.distinctId));
    this.#number.set(at, event.number ?? 0);
  }

  #idIndex(distinctId: string): number {
    const index = this.#indexOfId.get(distinctId) ?? this.#ids.push(distinctId) - 1;
    this.#indexOfId.set(distinctId, index);
    return index;
  }

  noteAttempt({ id }: SentRequest): void {
    this.#attempts.increment(id);
  }

  /** 0: no response. */
  noteAnswer({ id, events }: SentRequest, status: number): void {
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
    if (status !== 200) return;
    this.#acknowledged.increment(id);
    this.acknowledgedEvents += events;
  }

  /** In the order of their markers. */
  *events(): Generator<SentEvent & Fate> {
    for (let at = 1; at <= this.#events; at++) {
      const request = this.#request.get(at);
      const flags = this.#flags.get(at);
      yield {
        marker: `m${at}`,
        hasIdentity: (flags & HAS_IDENTITY) !== 0,
        isNameless: (flags & IS_NAMELESS) !== 0,
        joins: (flags & JOINS) !== 0,
        distinctId: this.#ids[this.#distinctId.get(at)] ?? '',
        number: this.#number.get(at) || null,
        attempts: this.#attempts.get(request),
        acknowledged: this.#acknowledged.get(request),
      };
    }
  }
}
