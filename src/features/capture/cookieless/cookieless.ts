/**
 * Visitors of whom nothing is stored on their device (`cookieless_mode` of posthog-js): they are told apart within a day by
 * a hash of address, site and user agent, and what the hash was made from is taken off the event before it is written.
 */
import { dayIn, startOfCookielessDay } from '../../../core/cookieless/cookieless-day.ts';
import {
  COOKIELESS_ID,
  cookielessBase,
  cookielessDeviceId,
  cookielessSessionId,
  cookielessVisitorId,
} from '../../../core/cookieless/cookieless-id.ts';
import { markCookieless } from '../../../core/cookieless/cookieless-visitor.ts';
import { addUserAgent, addVisitor, type VisitorFacts } from '../../../core/events/enrich-properties.ts';
import { reportedTime } from '../../../core/events/event-time.ts';
import { type CookielessRefusal, refusedEvent } from '../../../core/events/refused-event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { COOKIELESS_OFF, COOKIELESS_STATELESS } from '../../../core/web/web-settings.ts';
import { formatIpAddress, parseIpAddress } from '../../../lib/ip-address.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { CookielessVisitorStore } from '../../../stores/metadata/cookieless-visitors.ts';
import { rootDomain } from '../rules/root-domain.ts';
import type { CookielessSalts } from './salts.ts';

const MAX_EXTRA_LENGTH = 100;

/** What a request brings; an event's own values go before it. */
interface RequestSource {
  address: string | null;
  userAgent: string | undefined;
  /** Its `Origin`. */
  origin: string | undefined;
  receivedAt: number;
  sentAt: number | null;
}

interface Sighting {
  address: unknown;
  userAgent: unknown;
  host: unknown;
  extra: unknown;
  time: number;
  timezone: unknown;
}

/** Whose visit it is. */
interface Visit {
  base: string;
  day: string;
}

type Recognised = Visit | { refusal: CookielessRefusal };

const isStateless = ({ cookielessServerHashMode: mode }: Project): boolean => mode === COOKIELESS_STATELESS;

export const isCookieless = ({ properties }: JsonObject): boolean =>
  isJsonObject(properties) && properties['$cookieless_mode'] === true;

export class Cookieless {
  readonly #salts: Pick<CookielessSalts, 'get'>;
  readonly #visitors: Pick<CookielessVisitorStore, 'countSignIns'>;

  constructor(salts: Pick<CookielessSalts, 'get'>, visitors: Pick<CookielessVisitorStore, 'countSignIns'>) {
    this.#salts = salts;
    this.#visitors = visitors;
  }

  /** The distinct id that the visitor's events have now; undefined where they would be refused. */
  async distinctId(project: Project, sighting: Sighting): Promise<string | undefined> {
    const visit = await this.#recognise(project, sighting);
    if ('refusal' in visit) return undefined;
    const signIns = isStateless(project) ? 0 : await this.#visitors.countSignIns(project.id, visit.base);
    return cookielessVisitorId(visit.base, signIns);
  }

  async #recognise(project: Project, sighting: Sighting): Promise<Recognised> {
    if (project.cookielessServerHashMode === COOKIELESS_OFF) return { refusal: 'cookieless_off' };
    const { userAgent, host, extra, time, timezone } = sighting;
    if (typeof userAgent !== 'string' || userAgent === '') return { refusal: 'cookieless_missing_user_agent' };
    const address = typeof sighting.address === 'string' ? parseIpAddress(sighting.address) : undefined;
    if (address === undefined) return { refusal: 'cookieless_missing_ip' };
    const site = typeof host === 'string' ? rootDomain(host) : '';
    if (site === '') return { refusal: 'cookieless_missing_host' };
    const day = dayIn(time, [timezone, project.timezone]);
    const salt = await this.#salts.get(day);
    if (salt === undefined) return { refusal: 'cookieless_out_of_date' };
    const traits = {
      projectId: project.id,
      address: formatIpAddress(address),
      site,
      userAgent,
      extra: typeof extra === 'string' ? extra.slice(0, MAX_EXTRA_LENGTH) : '',
    };
    return { base: cookielessBase(salt, traits), day };
  }

  /**
   * The event as it may be written: with the visitor's facts, without what ids are made from. The ids themselves follow
   * when it is processed, unless the project keeps no state.
   */
  async complete(project: Project, event: JsonObject, source: RequestSource, facts: VisitorFacts): Promise<JsonObject> {
    const properties = isJsonObject(event['properties']) ? event['properties'] : {};
    const refusal = refusalByName(event['event'], isStateless(project));
    if (refusal !== undefined) return refuse(event, refusal);
    const visit = await this.#recognise(project, {
      address: properties['$ip'] ?? source.address,
      userAgent: properties['$raw_user_agent'] ?? source.userAgent,
      host: properties['$host'] ?? source.origin,
      extra: properties['$cookieless_extra'],
      time: reportedTime(event, properties['$ignore_sent_at'] === true, source) ?? source.receivedAt,
      timezone: properties['$timezone'],
    });
    if ('refusal' in visit) return refuse(event, visit.refusal);
    const anonymous = withoutTraces(event, properties, visit, facts);
    return isStateless(project) ? withDailyIds(anonymous, visit) : markCookieless(anonymous, visit);
  }
}

/** Without state a sign-in cannot be joined with what the visitor did before it. */
function refusalByName(name: Json | undefined, isStateless: boolean): CookielessRefusal | undefined {
  if (name === '$create_alias' || name === '$merge_dangerously') return 'cookieless_disallowed_event';
  return name === '$identify' && isStateless ? 'cookieless_disallowed_identify' : undefined;
}

/** Only what the project needs to be told about it. */
const refuse = ({ event = null, uuid, timestamp }: JsonObject, reason: CookielessRefusal): JsonObject =>
  refusedEvent(
    { event, distinct_id: COOKIELESS_ID, ...(uuid !== undefined && { uuid }), ...(timestamp && { timestamp }) },
    { reason, bytes: 0, keys: 0 },
  );

function withoutTraces(event: JsonObject, given: JsonObject, { base }: Visit, facts: VisitorFacts): JsonObject {
  const draft = { ...given };
  addVisitor(draft, facts);
  addUserAgent(String(event['event']), draft, facts.userAgent);
  const { $ip, $raw_user_agent, $cookieless_extra, $session_id, ...properties } = draft;
  properties['$device_id'] = cookielessDeviceId(base);
  withoutUserAgent(properties);
  const { ip, ...rest } = event;
  const result: JsonObject = { ...rest, properties };
  withoutUserAgent(result);
  return result;
}

/** All of a visitor's day is one session. */
function withDailyIds(event: JsonObject, { base, day }: Visit): JsonObject {
  const id = cookielessVisitorId(base, 0);
  const $session_id = cookielessSessionId(base, 0, startOfCookielessDay(day));
  const properties: JsonObject = { ...(event['properties'] as JsonObject), $session_id };
  if (properties['distinct_id'] === COOKIELESS_ID) properties['distinct_id'] = id;
  const result: JsonObject = { ...event, properties };
  for (const key of ['distinct_id', '$distinct_id']) if (result[key] === COOKIELESS_ID) result[key] = id;
  return result;
}

/** Updates of a person may have it, too. */
function withoutUserAgent(holder: JsonObject): void {
  for (const [update, key] of [
    ['$set', '$raw_user_agent'],
    ['$set_once', '$initial_raw_user_agent'],
  ] as const) {
    const values = holder[update];
    if (!isJsonObject(values) || values[key] === undefined) continue;
    const { [key]: _, ...others } = values;
    holder[update] = others;
  }
}
