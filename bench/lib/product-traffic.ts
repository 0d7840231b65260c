/**
 * The traffic of a made-up shop, seeded, so that every run writes the same events. A few visitors come often, most
 * rarely; they view pages, sign up once, fill a cart and sometimes buy. Some were anonymous before they signed up, so
 * their old events belong to another person now; a few events have no person.
 */

import { hotProperties } from '../../src/core/events/hot-properties.ts';
import { pick, seeded } from '../../src/features/demo/rules/seeded-random.ts';
import type { EventBatch, PersonOverride, StoredEvent } from '../../src/stores/events/event-store.ts';
import type { MirroredPerson } from '../../src/stores/events/person-mirror.ts';

export const PROJECT = 1;
const DAYS = 90;
const HOUR = 3_600_000;
export const UNTIL = Date.parse('2026-06-01T00:00:00Z');
export const FROM = UNTIL - DAYS * 24 * HOUR;

/** Average per person. */
const EVENTS_PER_PERSON = 50;
const BATCH_SIZE = 20_000;

const BROWSERS = ['Chrome', 'Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'];
const SYSTEMS = ['Windows', 'Windows', 'Mac OS X', 'iOS', 'Android', 'Linux'];
const SOURCES = [null, null, null, null, 'newsletter', 'search', 'partner', 'social'];
const PLANS = ['free', 'free', 'free', 'starter', 'pro', 'enterprise'];
const COUNTRIES = ['DE', 'FR', 'GB', 'US', 'US', 'BR', 'IN', 'JP', 'SE', 'PL'];
const PAGES = [
  '',
  'pricing',
  'docs',
  'docs/start',
  'docs/events',
  'blog',
  'about',
  'login',
  'signup',
  'cart',
  'account',
];

interface Shopper {
  uuid: string;
  /** The UUID of the anonymous person before sign-up, if another. */
  before: string | null;
  isKnown: boolean;
  hasSignedUp: boolean;
  createdAt: number;
  browser: string;
  os: string;
  source: string | null;
  plan: string;
  country: string;
}

/** Properties that all events of a page view share. */
interface Visit {
  url: string;
  path: string;
  /** Other properties, as JSON without the braces. */
  rest: string;
  hot: readonly (string | null)[];
}

interface TrafficOptions {
  /** Whether views and leaves tell how the page before was read, as browsers' SDKs do. */
  hasReads?: boolean;
}

export class ProductTraffic {
  readonly #random = seeded(20_260_601);
  readonly #events: number;
  readonly #hasReads: boolean;
  readonly #shoppers: Shopper[];
  #overrides: PersonOverride[] = [];

  constructor(events: number, { hasReads = false }: TrafficOptions = {}) {
    this.#events = events;
    this.#hasReads = hasReads;
    const count = Math.max(20, Math.round(events / EVENTS_PER_PERSON));
    this.#shoppers = Array.from({ length: count }, (_, index) => this.#shopper(index, count));
  }

  /** All persons that exist at the end. Some events have none. */
  persons(): MirroredPerson[] {
    return this.#shoppers
      .filter(({ isKnown }) => isKnown)
      .map(({ uuid, before, createdAt, plan, country }, index) => ({
        uuid: before ?? uuid,
        createdAt,
        properties: JSON.stringify({ email: `shopper${index}@example.org`, plan, country, seats: index % 50 }),
      }));
  }

  /** In the order of arrival. */
  *batches(): Generator<EventBatch> {
    let position = 0;
    let waiting: StoredEvent[] = [];
    for (const { at, quota } of this.#hours()) {
      const own: StoredEvent[] = [];
      while (own.length < quota) this.#session(at, own);
      own.length = quota;
      waiting.push(...own.sort((a, b) => a.timestamp - b.timestamp));
      while (waiting.length >= BATCH_SIZE) {
        yield { events: waiting.slice(0, BATCH_SIZE), overrides: this.#takeOverrides(), position: ++position };
        waiting = waiting.slice(BATCH_SIZE);
      }
    }
    yield { events: waiting, overrides: this.#takeOverrides(), position: ++position };
  }

  #takeOverrides(): PersonOverride[] {
    const taken = this.#overrides;
    this.#overrides = [];
    return taken;
  }

  /** Less traffic at night and on weekends. */
  *#hours(): Generator<{ at: number; quota: number }> {
    const hours = Array.from({ length: DAYS * 24 }, (_, index) => {
      const weekend = Math.floor(index / 24) % 7 >= 5 ? 0.6 : 1;
      return weekend * (1.2 + Math.sin(((index % 24) - 8) * (Math.PI / 12)));
    });
    const all = hours.reduce((total, weight) => total + weight, 0);
    let [done, before] = [0, 0];
    for (const [index, weight] of hours.entries()) {
      done += weight;
      const until = Math.round((this.#events * done) / all);
      yield { at: FROM + index * HOUR, quota: until - before };
      before = until;
    }
  }

  #shopper(index: number, count: number): Shopper {
    const random = this.#random;
    // 40% arrived before the first day, the others evenly over the period.
    const arrived = FROM + ((index - count * 0.4) / (count * 0.6)) * DAYS * 24 * HOUR;
    return {
      uuid: this.#uuid(),
      before: index % 12 === 5 ? this.#uuid() : null,
      isKnown: index % 50 !== 7,
      hasSignedUp: false,
      createdAt: Math.round(arrived),
      browser: pick(random, BROWSERS),
      os: pick(random, SYSTEMS),
      source: pick(random, SOURCES),
      plan: pick(random, PLANS),
      country: pick(random, COUNTRIES),
    };
  }

  /** One visitor in ten has more than 40% of the sessions. */
  #visitor(at: number): Shopper {
    const here = this.#shoppers.length * (0.4 + 0.6 * ((at - FROM) / (UNTIL - FROM)));
    const any = Math.floor(this.#random() * here);
    const index = this.#random() < 0.4 ? any - (any % 10) : any;
    return this.#shoppers[index] as Shopper;
  }

  #session(hour: number, into: StoredEvent[]): void {
    const random = this.#random;
    const shopper = this.#visitor(hour);
    const session = this.#uuid();
    let at = hour + random() * HOUR;
    let visit = this.#look(shopper, session, pick(random, PAGES));
    const add = (event: string, more = ''): void => {
      into.push(this.#event(shopper, visit, event, Math.min(at, UNTIL - 1), more));
      at += 2000 + random() * 90_000;
    };
    let viewedAt = at;
    add('$pageview');
    const read = (): string => {
      const seconds = (at - viewedAt) / 1000;
      viewedAt = at;
      return this.#hasReads ? this.#readJson(visit.path, seconds) : '';
    };
    const steps = 1 + Math.floor(random() ** 2 * 14);
    for (let step = 0; step < steps; step++) {
      const chance = random();
      if (chance < 0.5) {
        const page = random() < 0.5 ? pick(random, PAGES) : `products/${Math.floor(random() ** 3 * 300)}`;
        const told = read();
        visit = this.#look(shopper, session, page);
        add('$pageview', told);
      } else if (chance < 0.78) add('$autocapture');
      else if (chance < 0.9) add('searched', `,"results":${Math.floor(random() * 80)}`);
      else if (!shopper.hasSignedUp && random() < 0.5) this.#signUp(shopper, add);
      else {
        add('added to cart', `,"items":${1 + Math.floor(random() * 4)}`);
        if (random() < 0.35) add('purchased', `,"amount":${Math.round(random() * 20_000) / 100}`);
      }
    }
    add('$pageleave', read());
  }

  #readJson(path: string, seconds: number): string {
    const told = {
      $prev_pageview_pathname: path,
      $prev_pageview_duration: Math.round(seconds * 10) / 10,
      $prev_pageview_max_content_percentage: Math.round(this.#random() * 100) / 100,
    };
    return `,${JSON.stringify(told).slice(1, -1)}`;
  }

  #signUp(shopper: Shopper, add: (event: string) => void): void {
    shopper.hasSignedUp = true;
    if (shopper.before !== null) {
      this.#overrides.push({ projectId: PROJECT, from: shopper.before, to: shopper.uuid });
      shopper.before = null;
    }
    add('signed up');
  }

  #event(shopper: Shopper, visit: Visit, event: string, at: number, more: string): StoredEvent {
    const timestamp = Math.trunc(at);
    const id = shopper.before ?? shopper.uuid;
    const properties = `{"$current_url":"${visit.url}","$pathname":"${visit.path}",${visit.rest}${more}}`;
    return {
      projectId: PROJECT,
      uuid: this.#uuid(),
      event,
      distinctId: id,
      personId: id,
      timestamp,
      createdAt: timestamp + 1500,
      properties,
      // Only read if a property has its own column.
      get parsed() {
        return JSON.parse(properties);
      },
      hot: visit.hot,
      elementsChain: '',
      groups: NO_GROUPS,
    };
  }

  #look({ browser, os, source, plan, country }: Shopper, session: string, page: string): Visit {
    const properties = {
      $current_url: `https://shop.example.org/${page}`,
      $pathname: `/${page}`,
      $host: 'shop.example.org',
      $browser: browser,
      $os: os,
      $device_type: os === 'iOS' || os === 'Android' ? 'Mobile' : 'Desktop',
      $session_id: session,
      $lib: 'web',
      $lib_version: '1.434.18',
      $screen_height: 1080,
      $screen_width: 1920,
      $insert_id: session.slice(24),
      plan,
      country,
      ...(source === null ? {} : { utm_source: source }),
    };
    const { $current_url: url, $pathname: path, ...rest } = properties;
    return { url, path, rest: JSON.stringify(rest).slice(1, -1), hot: hotProperties(properties) };
  }

  #uuid(): string {
    const two = (): string => PAIRS[Math.floor(this.#random() * 65_536)] as string;
    return `${two()}${two()}-${two()}-4${two().slice(1)}-8${two().slice(1)}-${two()}${two()}${two()}`;
  }
}

/** Two bytes as text. */
const PAIRS = Array.from({ length: 65_536 }, (_, at) => at.toString(16).padStart(4, '0'));
const NO_GROUPS: readonly null[] = [null, null, null, null, null];
