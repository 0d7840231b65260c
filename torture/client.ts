/**
 * Behaves like an SDK: batches of all sizes, retried without a response, and sometimes repeated for no reason. Several
 * senders run concurrently. Each has its own distinct ids with ordered events: it sends the next one only after the
 * previous one was acknowledged.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinedId, type Ledger, type SentEvent, type SentRequest } from './ledger.ts';
import type { SeededRandom } from './seeded-random.ts';
import { PROJECT_KEY } from './server-process.ts';

const SENDERS = 4;
const IDS_PER_SENDER = 5;

export class Client {
  readonly #random: SeededRandom;
  readonly #ledger: Ledger;
  readonly #url: string;
  readonly #name: string;
  readonly #numbers = new Map<string, number>();
  readonly #unanswered: SentRequest[] = [];
  #agent = new Agent({ keepAlive: true });
  #running = false;
  #senders: Promise<void>[] = [];

  /** Pause of each sender after a request. */
  paceMs = 0;
  /** Per batch. */
  maxEvents = 200;

  /** `name` distinguishes the persons of several clients. */
  constructor(url: string, ledger: Ledger, random: SeededRandom, name = '') {
    this.#name = name;
    this.#url = url;
    this.#ledger = ledger;
    this.#random = random;
  }

  start(): void {
    this.#running = true;
    this.#senders = Array.from({ length: SENDERS }, (_, sender) => this.#run(sender));
  }

  /** Stops sending, and waits for pending responses. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#senders);
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  async #run(sender: number): Promise<void> {
    while (this.#running) {
      const repeated = this.#random.happens(0.15) ? this.#requestToRepeat() : undefined;
      if (repeated) await this.#attempt(repeated);
      else if (this.#random.happens(0.3)) await this.#sendUnordered();
      else await this.#sendInOrder(sender);
      if (this.paceMs > 0) await sleep(this.paceMs);
    }
  }

  /** A request to repeat, preferably one without a response. */
  #requestToRepeat(): SentRequest | undefined {
    if (this.#unanswered.length > 0 && this.#random.happens(0.7)) return this.#unanswered.shift();
    const repeatable = this.#ledger.recent.filter(({ isRepeatable }) => isRepeatable);
    return repeatable.length > 0 ? this.#random.oneOf(repeatable) : undefined;
  }

  async #sendUnordered(): Promise<void> {
    const sent = this.#request(Array.from({ length: this.#size() }, () => this.#unorderedEvent()));
    if (!(await this.#attempt(sent))) this.#unanswered.push(sent);
  }

  /** Retries until it is acknowledged or the client stops; then it comes first at the next start. */
  async #sendInOrder(sender: number): Promise<void> {
    const waiting = this.#waiting.get(sender);
    const sent = waiting ?? this.#request(Array.from({ length: this.#size() }, () => this.#orderedEvent(sender)));
    this.#waiting.set(sender, sent);
    while (!(await this.#attempt(sent))) {
      if (!this.#running) return;
      await sleep(5);
    }
    this.#waiting.delete(sender);
  }

  readonly #waiting = new Map<number, SentRequest>();

  /** Sends what was not acknowledged, so that the order of every sender is complete. */
  async finish(): Promise<void> {
    for (const sent of [...this.#waiting.values(), ...this.#unanswered.splice(0)]) {
      for (let tries = 0; !(await this.#attempt(sent)); tries++) {
        if (tries > 200) throw new Error('The server no longer acknowledges anything');
        await sleep(50);
      }
    }
    this.#waiting.clear();
    this.#agent.destroy();
  }

  #size(): number {
    return this.#random.happens(0.3) ? 1 : this.#random.between(1, this.maxEvents);
  }

  #request(raws: { raw: object; event: SentEvent }[]): SentRequest {
    const [only] = raws;
    const isSingle = raws.length === 1 && only !== undefined && this.#random.happens(0.5);
    const body = isSingle
      ? { api_key: PROJECT_KEY, ...only.raw }
      : { api_key: PROJECT_KEY, batch: raws.map(({ raw }) => raw), sent_at: new Date().toISOString() };
    const path = this.#random.oneOf(isSingle ? ['/capture/', '/e/', '/i/v0/e/'] : ['/batch/', '/e/']);
    const events = raws.map(({ event }) => event);
    return this.#ledger.addRequest(path, JSON.stringify(body), events);
  }

  /** An event of an ordered id; sometimes it merges a new id with it. */
  #orderedEvent(sender: number): { raw: object; event: SentEvent } {
    const distinctId = `ordered-${this.#name}${sender}-${this.#random.between(1, IDS_PER_SENDER)}`;
    const number = (this.#numbers.get(distinctId) ?? 0) + 1;
    this.#numbers.set(distinctId, number);
    const marker = this.#ledger.newMarker();
    const joins = this.#random.happens(0.05);
    const isAlias = this.#random.happens(0.3);
    const other = joinedId(marker);
    const joining = !joins ? {} : isAlias ? { alias: other } : { $anon_distinct_id: other };
    const name = !joins ? 'ordered' : isAlias ? '$create_alias' : '$identify';
    const raw = {
      event: name,
      distinct_id: distinctId,
      timestamp: new Date().toISOString(),
      properties: { marker, number, ...joining, $set: { last: number } },
      uuid: this.#random.uuid(),
    };
    const event = { marker, hasIdentity: true, isNameless: false, distinctId, number, joins };
    return { raw, event };
  }

  #unorderedEvent(): { raw: object; event: SentEvent } {
    const marker = this.#ledger.newMarker();
    const isNameless = this.#random.happens(0.02);
    const isPersonless = this.#random.happens(0.1);
    const distinctId = isPersonless
      ? `nobody-${this.#name}${this.#random.between(1, 50)}`
      : `loose-${this.#name}${this.#random.between(1, 300)}`;
    const identity = this.#random.oneOf([
      { uuid: this.#random.uuid() },
      { messageId: marker },
      'insert',
      null,
    ] as const);
    const raw = {
      ...(isNameless ? {} : { event: this.#random.oneOf(['viewed', 'clicked', '$pageview']) }),
      distinct_id: distinctId,
      timestamp: new Date().toISOString(),
      properties: {
        marker,
        $groups: { company: `company-${this.#random.between(1, 5)}` },
        ...(identity === 'insert' ? { $insert_id: marker } : {}),
        ...(isPersonless ? { $process_person_profile: false } : {}),
      },
      ...(typeof identity === 'object' ? identity : {}),
    };
    const hasIdentity = identity !== null;
    return { raw, event: { marker, hasIdentity, isNameless, distinctId, number: null, joins: false } };
  }

  async #attempt(sent: SentRequest): Promise<boolean> {
    this.#ledger.noteAttempt(sent);
    const status = await post(`${this.#url}${sent.path}`, sent.body, this.#agent);
    this.#ledger.noteAnswer(sent, status);
    if (status !== 200) await sleep(status === 503 ? 20 : 5);
    return status === 200;
  }
}

/** The status, or 0 without a response. */
function post(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      timeout: 20_000,
    });
    outgoing.on('response', (response) => {
      response.resume();
      // Only complete responses count, as for SDKs.
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(0));
    outgoing.end(body);
  });
}
