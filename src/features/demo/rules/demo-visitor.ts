/** Generates the events of one visitor of the demo product, a hike planner, from a random generator seeded per visitor. */
import { DAY_MS, MINUTE_MS } from '../../../core/time/units.ts';
import { bucket, encodeKey } from '../../flags/rules/bucket.ts';
import { pick, seeded } from './seeded-random.ts';

export interface VisitorEvent {
  event: string;
  distinctId: string;
  time: number;
  properties: Readonly<Record<string, unknown>>;
}

export interface DemoPeriod {
  /** The end of the demo; it starts `days` before. */
  now: number;
  days: number;
}

export const DEMO_FLAG = 'demo-new-planner';
const HOST = 'hikes.demo.example';
/** How posthog-js says that there was no referrer. */
const DIRECT = '$direct';
const FLAG_PREFIX = encodeKey(`${DEMO_FLAG}.`);
export const DEMO_CLUBS = 12;
/** The key of a club. */
export const demoClub = (index: number): string => `demo-club-${index}`;
/** The first distinct ID of a visitor, numbered from 1. */
export const demoDevice = (visitor: number): string => `demo-device-${visitor}`;

// biome-ignore format: a list
const REFERRING_HOSTS = [
  'www.google.com', 'www.google.com', 'www.google.com', 'duckduckgo.com', 'www.reddit.com', 'chatgpt.com',
  'news.ycombinator.com', 'alps.blog.example', DIRECT, DIRECT, DIRECT, DIRECT,
];
const BROWSERS = ['Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox'];
const SYSTEMS = ['Windows', 'Mac OS X', 'iOS', 'Android', 'Linux'];
const MOBILE_SYSTEMS = ['iOS', 'Android'];
// biome-ignore format: a list
const COUNTRIES = [
  'DE', 'DE', 'DE', 'FR', 'FR', 'GB', 'GB', 'US', 'US', 'US', 'NL', 'CH', 'CH', 'AT', 'IT', 'ES', 'CA', 'AU', 'BR', 'JP',
  'IN', 'SG',
];

/** In the order of time, and never after `now`. */
export function visitorEvents(number: number, stage: DemoPeriod): VisitorEvent[] {
  const visitor = new Visitor(number, stage);
  visitor.live();
  return visitor.events.filter(({ time }) => time <= stage.now);
}

class Visitor {
  readonly events: VisitorEvent[] = [];
  readonly #random: () => number;
  readonly #number: number;
  readonly #stage: DemoPeriod;
  readonly #about: Readonly<Record<string, unknown>>;
  #id: string;
  #time: number;
  #sessions = 1;
  #plan = 'free';

  constructor(number: number, stage: DemoPeriod) {
    this.#random = seeded(number);
    this.#number = number;
    this.#stage = stage;
    this.#id = demoDevice(number);
    const [browser, system] = [pick(this.#random, BROWSERS), pick(this.#random, SYSTEMS)];
    const country = pick(this.#random, COUNTRIES);
    const referrer = pick(this.#random, REFERRING_HOSTS);
    this.#about = {
      $lib: 'web',
      $browser: browser,
      $os: system,
      $device_type: MOBILE_SYSTEMS.includes(system) ? 'Mobile' : 'Desktop',
      $geoip_country_code: country,
      $host: HOST,
      $referring_domain: referrer,
      $referrer: referrer === DIRECT ? DIRECT : `https://${referrer}/`,
    };
    // More visitors each week: the product is growing.
    this.#time = this.#onDay(stage.days * this.#random() ** 0.7 - stage.days);
  }

  live(): void {
    this.#lookAround();
    if (!this.#happens(0.4)) {
      if (this.#happens(0.15)) this.#comeBack(1 + this.#random() * 6, () => this.#view('/pricing'));
      return;
    }
    this.#signUp();
    const keenness = this.#random();
    for (let day = 1; this.#time < this.#stage.now; day++) {
      const chance = 0.08 + 0.5 * keenness * Math.exp(-day / (6 + 20 * keenness));
      if (day > this.#stage.days) return;
      if (this.#happens(chance)) this.#comeBack(1, () => this.#visit());
      else this.#time += DAY_MS;
    }
  }

  #lookAround(): void {
    this.#view('/');
    if (this.#happens(0.6)) this.#view('/features');
    if (this.#happens(0.35)) this.#view('/pricing');
  }

  #signUp(): void {
    const email = `hiker-${this.#number}@demo.example`;
    const device = this.#id;
    this.#view('/sign-up');
    this.#id = email;
    const set = {
      email,
      name: `Demo hiker ${this.#number}`,
      plan: 'free',
      country: this.#about['$geoip_country_code'],
    };
    this.#add('$identify', { $anon_distinct_id: device, $set: set });
    this.#add('signed up', { method: pick(this.#random, ['email', 'email', 'single sign-on']) });
    this.#visit();
  }

  /** A visit of a signed-up user. */
  #visit(): void {
    this.#view('/hikes');
    const variant = bucket(FLAG_PREFIX, this.#id, 'variant') < 0.5 ? 'control' : 'test';
    this.#add('$feature_flag_called', { $feature_flag: DEMO_FLAG, $feature_flag_response: variant });
    // The new planner works better, so that there is something to find.
    if (!this.#happens(variant === 'test' ? 0.62 : 0.45)) return;
    this.#add('hike planned', { kilometres: 4 + Math.floor(this.#random() * 21), planner: variant });
    if (this.#happens(0.35)) this.#add('hike shared', { with: pick(this.#random, ['friends', 'club', 'link']) });
    if (this.#plan === 'free' && this.#happens(0.06)) this.#upgrade();
  }

  #upgrade(): void {
    this.#view('/pricing');
    if (!this.#happens(0.6)) return;
    this.#plan = 'pro';
    this.#add('plan upgraded', { price: pick(this.#random, [4, 4, 4, 40]), currency: 'EUR', $set: { plan: 'pro' } });
  }

  #comeBack(afterDays: number, visit: () => void): void {
    this.#time = this.#onDay((this.#time - this.#stage.now) / DAY_MS + afterDays);
    this.#sessions++;
    visit();
  }

  /** A time on that day, relative to the end of the demo: mostly in the afternoon, later on weekends. */
  #onDay(days: number): number {
    const midnight = Math.floor((this.#stage.now + days * DAY_MS) / DAY_MS) * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const hour = 7 + 14 * ((this.#random() + this.#random()) / 2) + (isWeekend ? 1 : 0);
    return midnight + hour * 60 * MINUTE_MS;
  }

  #view(path: string): void {
    this.#add('$pageview', { $current_url: `https://${HOST}${path}`, $pathname: path });
  }

  #add(event: string, more: Readonly<Record<string, unknown>>): void {
    this.#time += (0.2 + this.#random() * 3) * MINUTE_MS;
    const club = this.#number % 4 === 0 ? { $groups: { club: demoClub(this.#number % DEMO_CLUBS) } } : {};
    const session = { $session_id: `demo-session-${this.#number}-${this.#sessions}` };
    const properties = { ...this.#about, ...session, ...club, ...more };
    this.events.push({ event, distinctId: this.#id, time: Math.floor(this.#time), properties });
  }

  #happens(chance: number): boolean {
    return this.#random() < chance;
  }
}
