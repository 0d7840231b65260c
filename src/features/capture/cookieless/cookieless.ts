/**
 * Visitors of whom nothing is stored on their device (`cookieless_mode` of posthog-js): they are told apart within a day by
 * a hash of address, site and user agent, and what the hash was made from is taken off the event before it is written.
 */
import { addUserAgent, addVisitor, type VisitorFacts } from '../../../core/events/enrich-properties.ts';
import { reportedTime } from '../../../core/events/event-time.ts';
import { type CookielessRefusal, refusedEvent } from '../../../core/events/refused-event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { COOKIELESS_OFF } from '../../../core/web/web-settings.ts';
import { formatIpAddress, parseIpAddress } from '../../../lib/ip-address.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { dayIn } from '../rules/cookieless-day.ts';
import { type CookielessIds, cookielessIds } from '../rules/cookieless-id.ts';
import { rootDomain } from '../rules/root-domain.ts';
import type { CookielessSalts } from './salts.ts';

/** The distinct id that posthog-js sends for all of them. It never becomes a person. */
const COOKIELESS_SENTINEL = '$posthog_cookieless';

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

type Identified = { ids: CookielessIds } | { refusal: CookielessRefusal };

export const isCookieless = ({ properties }: JsonObject): boolean =>
  isJsonObject(properties) && properties['$cookieless_mode'] === true;

export class Cookieless {
  readonly #salts: Pick<CookielessSalts, 'get'>;

  constructor(salts: Pick<CookielessSalts, 'get'>) {
    this.#salts = salts;
  }

  async identify(project: Project, sighting: Sighting): Promise<Identified> {
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
    return { ids: cookielessIds(salt, day, traits) };
  }

  /** The event as it may be written: with the visitor's ids and facts, without what they were made from. */
  async complete(project: Project, event: JsonObject, source: RequestSource, facts: VisitorFacts): Promise<JsonObject> {
    const properties = isJsonObject(event['properties']) ? event['properties'] : {};
    const refusal = refusalByName(event['event']);
    if (refusal !== undefined) return refuse(event, refusal);
    const result = await this.identify(project, {
      address: properties['$ip'] ?? source.address,
      userAgent: properties['$raw_user_agent'] ?? source.userAgent,
      host: properties['$host'] ?? source.origin,
      extra: properties['$cookieless_extra'],
      time: reportedTime(event, properties['$ignore_sent_at'] === true, source) ?? source.receivedAt,
      timezone: properties['$timezone'],
    });
    return 'refusal' in result ? refuse(event, result.refusal) : completed(event, properties, result.ids, facts);
  }
}

/** Without state a sign-in cannot be joined with what the visitor did before it. */
function refusalByName(name: Json | undefined): CookielessRefusal | undefined {
  if (name === '$create_alias' || name === '$merge_dangerously') return 'cookieless_disallowed_event';
  return name === '$identify' ? 'cookieless_disallowed_identify' : undefined;
}

/** Only what the project needs to be told about it. */
const refuse = ({ event = null, uuid, timestamp }: JsonObject, reason: CookielessRefusal): JsonObject =>
  refusedEvent(
    { event, distinct_id: COOKIELESS_SENTINEL, ...(uuid !== undefined && { uuid }), ...(timestamp && { timestamp }) },
    { reason, bytes: 0, keys: 0 },
  );

function completed(event: JsonObject, given: JsonObject, ids: CookielessIds, facts: VisitorFacts): JsonObject {
  const draft = { ...given };
  addVisitor(draft, facts);
  addUserAgent(String(event['event']), draft, facts.userAgent);
  const { $ip, $raw_user_agent, $cookieless_extra, ...properties } = draft;
  properties['$device_id'] = ids.deviceId;
  properties['$session_id'] = ids.sessionId;
  if (properties['distinct_id'] === COOKIELESS_SENTINEL) properties['distinct_id'] = ids.distinctId;
  withoutUserAgent(properties);
  const { ip, ...rest } = event;
  const result: JsonObject = { ...rest, properties };
  withoutUserAgent(result);
  for (const key of ['distinct_id', '$distinct_id']) {
    if (result[key] === COOKIELESS_SENTINEL) result[key] = ids.distinctId;
  }
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
