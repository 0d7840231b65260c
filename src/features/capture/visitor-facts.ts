/**
 * What an address tells about the visitor: the place, and whether the visit is the project's own. Looked up when a request
 * is accepted, so that a project that stores no addresses never writes one. Facts of the request's address are logged
 * beside the events; those of an address that an event brings are written into that event.
 */
import {
  addPlace,
  addUserAgent,
  addVisitor,
  mayBePlaced,
  type VisitorFacts,
} from '../../core/events/enrich-properties.ts';
import { isPageEvent } from '../../core/events/page-event.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json.ts';
import { MAX_USER_AGENT_LENGTH } from '../../core/user-agents/read-user-agent.ts';
import type { WebSettings } from '../../core/web/web-settings.ts';
import { type IpNetwork, isInNetwork, parseIpAddress, parseIpNetwork } from '../../lib/ip-address.ts';

export interface Places {
  /** `$geoip_…` of an address; null where nothing is known of it. */
  placeOf(address: string): JsonObject | null;
}

/** Facts of the request's own address and user agent. */
export function visitorFacts(
  places: Places,
  settings: WebSettings,
  address: string | null,
  userAgent: string | undefined,
): VisitorFacts {
  const place = settings.geoip && address !== null ? places.placeOf(address) : null;
  return {
    ...(place && { place }),
    ...(address !== null && isOwnAddress(settings, address) && { isOwnVisit: true }),
    ...(userAgent && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
  };
}

const ownNetworks = new WeakMap<WebSettings, readonly IpNetwork[]>();

function isOwnAddress(settings: WebSettings, text: string): boolean {
  if (settings.own_addresses.length === 0) return false;
  const address = parseIpAddress(text);
  if (address === undefined) return false;
  const networks = ownNetworks.get(settings) ?? settings.own_addresses.flatMap((own) => parseIpNetwork(own) ?? []);
  ownNetworks.set(settings, networks);
  return networks.some((network) => isInNetwork(address, network));
}

/** Whether the header is needed: it is not logged with events of servers, or that say it themselves. */
export const needsUserAgent = (events: readonly JsonObject[]): boolean =>
  events.some(
    ({ properties }) =>
      isJsonObject(properties) && properties['$raw_user_agent'] === undefined && isPageEvent(properties),
  );

/** Adds the facts of an address that the event itself brings; false where it brings none, or nothing is known of it. */
export function addFactsOfOwnAddress(places: Places, settings: WebSettings, { properties }: JsonObject): boolean {
  if (!isJsonObject(properties) || typeof properties['$ip'] !== 'string') return false;
  const isPlaced = addPlaceOfOwnAddress(places, settings, properties);
  const isOwn = isOwnAddress(settings, properties['$ip']);
  if (isOwn) properties['$internal_visit'] = true;
  return isPlaced || isOwn;
}

/** Adds only the place. */
export function addPlaceOfOwnAddress(
  places: Places,
  { geoip }: Pick<WebSettings, 'geoip'>,
  properties: JsonObject,
): boolean {
  const { $ip: address } = properties;
  if (!geoip || typeof address !== 'string' || !mayBePlaced(properties)) return false;
  const place = places.placeOf(address);
  if (place !== null) addPlace(properties, place);
  return place !== null;
}

/** The facts for one event: those of the address that it brings, or else of the request's. */
export function factsOf(
  places: Places,
  settings: WebSettings,
  { properties }: JsonObject,
  facts: VisitorFacts,
): VisitorFacts {
  const address = isJsonObject(properties) ? properties['$ip'] : undefined;
  if (address === undefined) return facts;
  return visitorFacts(places, settings, typeof address === 'string' ? address : null, facts.userAgent);
}

/** An event with the facts of its request written into it, as the worker would add them. */
export function withFacts(event: JsonObject, facts: VisitorFacts, address: string | null): JsonObject {
  const properties = isJsonObject(event['properties']) ? { ...event['properties'] } : {};
  addUserAgent(String(event['event']), properties, facts.userAgent);
  if (properties['$ip'] !== undefined) return { ...event, properties };
  addVisitor(properties, facts);
  if (address !== null) properties['$ip'] = address;
  return { ...event, properties };
}
