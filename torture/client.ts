/**
 * A client as SDKs are: batches of all sizes, repeated when no answer came, sometimes repeated for no reason at all.
 * Several lanes send at the same time. Each lane owns the distinct ids whose order it watches: it sends no later event
 * of theirs before an earlier one was acknowledged.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from './chance.ts';
import type { Ledger, SentEvent, SentRequest } from './ledger.ts';
import { PROJECT_KEY } from './server-process.ts';

const SENDERS = 4;
const IDS_PER_SENDER = 5;

export class Client {
  readonly #chance: SeededRandom;
  readonly #ledger: Ledger;
  readonly #url: string;
  readonly #name: string;
  readonly #numbers = new Map<string, number>();
  readonly #unanswered: SentRequest[] = [];
  #agent = new Agent({ keepAlive: true });
  #made = 0;
  #running = false;
  #lanes: Promise<void>[] = [];

  /** Pause of each lane after a request; 0 sends as fast as the server answers. */
  paceMs = 0;
  /** A batch has so many events at the most. */
  mostEvents = 200;

  /** `name`: tells the events and people of several clients apart. */
  constructor(url: string, ledger: Ledger, chance: SeededRandom, name = '') {
    this.#name = name;
    this.#url = url;
    this.#ledger = ledger;
    this.#chance = chance;
  }

  start(): void {
    this.#running = true;
    this.#lanes = Array.from({ length: SENDERS }, (_, lane) => this.#run(lane));
  }

  /** Stops making new requests, and waits for the answers to those under way. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#lanes);
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }

  async #run(lane: number): Promise<void> {
    while (this.#running) {
      const old = this.#chance.happens(0.15) ? this.#oldRequest() : undefined;
      if (old) await this.#attempt(old);
      else if (this.#chance.happens(0.3)) await this.#sendLoose();
      else await this.#sendInOrder(lane);
      if (this.paceMs > 0) await sleep(this.paceMs);
    }
  }

  /** Something to repeat: first of all what got no answer. */
  #oldRequest(): SentRequest | undefined {
    if (this.#unanswered.length > 0 && this.#chance.happens(0.7)) return this.#unanswered.shift();
    const repeatable = this.#ledger.requests.slice(-200).filter((sent) => sent.events.every((e) => e.hasIdentity));
    return repeatable.length > 0 ? this.#chance.oneOf(repeatable) : undefined;
  }

  async #sendLoose(): Promise<void> {
    const sent = this.#request(Array.from({ length: this.#size() }, () => this.#looseEvent()));
    if (!(await this.#attempt(sent))) this.#unanswered.push(sent);
  }

  /** Repeats itself until it is acknowledged or the load ends; what remains is repeated first when it begins again. */
  async #sendInOrder(lane: number): Promise<void> {
    const waiting = this.#waiting.get(lane);
    const sent = waiting ?? this.#request(Array.from({ length: this.#size() }, () => this.#orderedEvent(lane)));
    this.#waiting.set(lane, sent);
    while (!(await this.#attempt(sent))) {
      if (!this.#running) return;
      await sleep(5);
    }
    this.#waiting.delete(lane);
  }

  readonly #waiting = new Map<number, SentRequest>();

  /** Sends what is still owed, so that the order of every lane is complete. */
  async finish(): Promise<void> {
    for (const sent of [...this.#waiting.values(), ...this.#unanswered.splice(0)]) {
      for (let tries = 0; !(await this.#attempt(sent)); tries++) {
        if (tries > 200) throw new Error('The server does not acknowledge anything any more');
        await sleep(50);
      }
    }
    this.#waiting.clear();
    this.#agent.destroy();
  }

  #size(): number {
    return this.#chance.happens(0.3) ? 1 : this.#chance.between(1, this.mostEvents);
  }

  #request(raws: { raw: object; event: SentEvent }[]): SentRequest {
    const [only] = raws;
    const isSingle = raws.length === 1 && only !== undefined && this.#chance.happens(0.5);
    const body = isSingle
      ? { api_key: PROJECT_KEY, ...only.raw }
      : { api_key: PROJECT_KEY, batch: raws.map(({ raw }) => raw), sent_at: new Date().toISOString() };
    const sent: SentRequest = {
      path: this.#chance.oneOf(isSingle ? ['/capture/', '/e/', '/i/v0/e/'] : ['/batch/', '/e/']),
      body: JSON.stringify(body),
      events: raws.map(({ event }) => event),
      attempts: 0,
      acknowledged: 0,
    };
    this.#ledger.requests.push(sent);
    return sent;
  }

  /** An event of an id whose order is watched; now and then it joins a fresh id with it. */
  #orderedEvent(lane: number): { raw: object; event: SentEvent } {
    const distinctId = `ordered-${this.#name}${lane}-${this.#chance.between(1, IDS_PER_SENDER)}`;
    const number = (this.#numbers.get(distinctId) ?? 0) + 1;
    this.#numbers.set(distinctId, number);
    const marker = this.#marker();
    const joins = this.#chance.happens(0.05) ? `joined-${marker}` : null;
    const isAlias = this.#chance.happens(0.3);
    const joining = joins === null ? {} : isAlias ? { alias: joins } : { $anon_distinct_id: joins };
    const name = joins === null ? 'ordered' : isAlias ? '$create_alias' : '$identify';
    const raw = {
      event: name,
      distinct_id: distinctId,
      timestamp: new Date().toISOString(),
      properties: { marker, number, ...joining, $set: { last: number } },
      uuid: this.#chance.uuid(),
    };
    const event = { marker, hasIdentity: true, isNameless: false, isPersonless: false, distinctId, number, joins };
    return { raw, event };
  }

  #looseEvent(): { raw: object; event: SentEvent } {
    const marker = this.#marker();
    const isNameless = this.#chance.happens(0.02);
    const isPersonless = this.#chance.happens(0.1);
    const distinctId = isPersonless
      ? `nobody-${this.#name}${this.#chance.between(1, 50)}`
      : `loose-${this.#name}${this.#chance.between(1, 300)}`;
    const identity = this.#chance.oneOf([
      { uuid: this.#chance.uuid() },
      { messageId: marker },
      'insert',
      null,
    ] as const);
    const raw = {
      ...(isNameless ? {} : { event: this.#chance.oneOf(['viewed', 'clicked', '$pageview']) }),
      distinct_id: distinctId,
      timestamp: new Date().toISOString(),
      properties: {
        marker,
        $groups: { company: `company-${this.#chance.between(1, 5)}` },
        ...(identity === 'insert' ? { $insert_id: marker } : {}),
        ...(isPersonless ? { $process_person_profile: false } : {}),
      },
      ...(typeof identity === 'object' ? identity : {}),
    };
    const hasIdentity = identity !== null;
    return { raw, event: { marker, hasIdentity, isNameless, isPersonless, distinctId, number: null, joins: null } };
  }

  #marker(): string {
    return `${this.#name}m${++this.#made}`;
  }

  async #attempt(sent: SentRequest): Promise<boolean> {
    sent.attempts++;
    const status = await post(`${this.#url}${sent.path}`, sent.body, this.#agent);
    this.#ledger.note(status);
    if (status === 200) sent.acknowledged++;
    else await sleep(status === 503 ? 20 : 5);
    return status === 200;
  }
}

/** The status, or 0 where no answer came. */
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
      // Only an answer that came whole counts: an SDK would not believe half of one.
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(0));
    outgoing.end(body);
  });
}
