/** What one event, read as `e`, tells about its session, in the SQL of both engines. */
import { NUMBER_PATTERN } from '../../core/filters/matches.ts';
import {
  ACQUISITION_COLUMNS,
  CLICK_IDS,
  PAGE_PROPERTIES,
  READ_EVENTS,
  VIEW_EVENTS,
} from '../../core/web/session-values.ts';
import { MAX_SESSION_ID_LENGTH, NO_SESSION_IDS } from '../../core/web/web-session.ts';
import type { SqlBuilder } from './dialect.ts';

/** Bits that tell which views are left out, or are of visitors without cookies. */
export const VIEW_LABELS = { bot: 1, own: 2, cookieless: 4 } as const;

/** Longer values are cut: they could not be asked for. */
const MAX_VALUE_LENGTH = 200;
const MAX_PATH_LENGTH = 400;

const WEB_ADDRESS = '^(https?://)';
const PATH_OF_URL = '^https?://[^/?#]*([^?#]*)';
const HOST_OF_URL = '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)';
/** Hosts of machines that only their owner reaches. */
const LOCAL_PARTS = ['local', '127.0.0.1', '[::1]', '.test'];
const LOCAL_HOST = '(?i)^(localhost|127\\.0\\.0\\.1|\\[::1\\]|.*\\.local|.*\\.test)(:\\d*)?$';

/** The text of a property; empty where it is absent. */
export const propertyTextSql = (sql: SqlBuilder, key: string): string => `coalesce(${sql.property(key)}, '')`;

/** The same, cut. */
export const cutPropertySql = (sql: SqlBuilder, key: string): string => cutSql(sql, propertyTextSql(sql, key));

const cutSql = (sql: SqlBuilder, text: string, length = MAX_VALUE_LENGTH): string =>
  sql.functions.substring(text, '1', String(length));

export const isViewSql = (sql: SqlBuilder): string => sql.isOneOf('e.event', VIEW_EVENTS);

/** Whether it is an event of a page. */
export const isOfPageSql = (sql: SqlBuilder): string =>
  `(${PAGE_PROPERTIES.map((key) => `${propertyTextSql(sql, key)} <> ''`).join(' or ')})`;

/** The valid session id of an event; empty where it has none. Ids are no objects and no lists. */
export function sessionIdSql(sql: SqlBuilder): string {
  const text = propertyTextSql(sql, '$session_id');
  const { length, lower, startsWith } = sql.functions;
  const isNone = [
    `${text} = ''`,
    `${length(text)} > ${MAX_SESSION_ID_LENGTH}`,
    sql.isOneOf(lower(text), NO_SESSION_IDS),
    startsWith(text, `'{'`),
    startsWith(text, `'['`),
  ];
  return `case when ${isNone.join(' or ')} then '' else ${text} end`;
}

/** The page of a view as it was sent; empty for none. */
export function sentPathSql(sql: SqlBuilder): string {
  const [url, name, screen] = PAGE_PROPERTIES.map((key) => propertyTextSql(sql, key));
  const ofUrl = sql.capture(`${url}`, PATH_OF_URL);
  const page = `case when ${name} <> '' then ${name} when ${ofUrl} <> '' then ${ofUrl}
    when ${sql.capture(`${url}`, WEB_ADDRESS)} <> '' then '/' else '' end`;
  return cutSql(sql, `case when e.event = '$screen' then ${screen} else ${page} end`, MAX_PATH_LENGTH);
}

/** The referring host as it was sent. */
function referrerSql(sql: SqlBuilder): string {
  const [domain, referrer] = [propertyTextSql(sql, '$referring_domain'), propertyTextSql(sql, '$referrer')];
  const host = sql.capture(referrer, HOST_OF_URL);
  const other = `case when ${sql.functions.startsWith(referrer, `'android-app://'`)} or ${host} = '' then ${referrer} else ${host} end`;
  return cutSql(sql, `case when ${domain} <> '' then ${domain} else ${other} end`);
}

export const isBotSql = (sql: SqlBuilder): string => `${propertyTextSql(sql, '$is_bot')} = 'true'`;

export function isOwnSql(sql: SqlBuilder): string {
  const host = propertyTextSql(sql, '$host');
  // Few hosts have any of these, and a pattern costs many times more.
  const mayBeLocal = LOCAL_PARTS.map((part) => sql.contains(sql.functions.lower(host), part)).join(' or ');
  const isLocal = `case when ${mayBeLocal} then ${sql.capture(host, LOCAL_HOST)} <> '' else false end`;
  return `(${propertyTextSql(sql, '$internal_visit')} = 'true' or ${isLocal})`;
}

/** A property, or where it is empty what the query of the address says. Few addresses have one. */
function taggedSql(sql: SqlBuilder, key: string): string {
  const [own, url] = [propertyTextSql(sql, key), propertyTextSql(sql, '$current_url')];
  const inUrl = `case when ${sql.contains(url, `${key}=`)} then ${sql.capture(url, `[?&]${key}=([^&#]*)`)} else '' end`;
  const spaced = `replace(replace(${inUrl}, '+', ' '), '%20', ' ')`;
  return cutSql(sql, `case when ${own} <> '' then ${own} else ${spaced} end`);
}

const ofReadEvents = (sql: SqlBuilder, value: string, none: string): string =>
  `case when ${sql.isOneOf('e.event', READ_EVENTS)} then ${value} else ${none} end`;

/** The page that an event tells about how it was read; empty where it does not. */
export const readPathSql = (sql: SqlBuilder): string =>
  ofReadEvents(sql, cutSql(sql, propertyTextSql(sql, '$prev_pageview_pathname'), MAX_PATH_LENGTH), `''`);

/** For how long and how far, as sent. */
export function readNumbersSql(sql: SqlBuilder): { seconds: string; share: string } {
  const number = (key: string): string =>
    ofReadEvents(sql, sql.number(`replace(${propertyTextSql(sql, key)}, ' ', '')`, NUMBER_PATTERN), 'null');
  return { seconds: number('$prev_pageview_duration'), share: number('$prev_pageview_max_content_percentage') };
}

/** Longer is no visit. */
const MAX_READ_SECONDS = 86_400;

/** What counts of `seconds` and `share`; null where nothing does. */
export const validReadSql = (sql: SqlBuilder): { seconds: string; share: string } => ({
  seconds: `case when seconds >= 0 and seconds <= ${sql.double(MAX_READ_SECONDS)} then seconds end`,
  share: `case when share < 0 then ${sql.double(0)} when share > 1 then ${sql.double(1)} else share end`,
});

type AcquisitionColumn = (typeof ACQUISITION_COLUMNS)[number];

/** Where a view says that its session came from, in these columns; empty for other events. */
export function acquisitionSql<Column extends AcquisitionColumn = AcquisitionColumn>(
  sql: SqlBuilder,
  names: readonly Column[] = ACQUISITION_COLUMNS as unknown as readonly Column[],
): Readonly<Record<Column, string>> {
  const ofViews = names.map(
    (name) => [name, `case when ${isViewSql(sql)} then ${saidSql(sql, name)} else '' end`] as const,
  );
  return Object.fromEntries(ofViews) as Record<Column, string>;
}

function saidSql(sql: SqlBuilder, name: AcquisitionColumn): string {
  switch (name) {
    case 'sent_referrer':
      return referrerSql(sql);
    case 'site':
      return cutPropertySql(sql, '$host');
    case 'url':
      return propertyTextSql(sql, '$current_url');
    case 'clicks':
      return clicksSql(sql);
    default:
      return taggedSql(sql, name);
  }
}

function clicksSql(sql: SqlBuilder): string {
  const clicks = Object.entries(CLICK_IDS).map(([key, letter]) => {
    const isSearch = key === 'gad_source' ? `when '1' then '1'` : '';
    return `case ${taggedSql(sql, key)} when '' then '' ${isSearch} else '${letter}' end`;
  });
  return `concat(${clicks.join(', ')})`;
}

export const CHANNEL_SEPARATOR = '\u0001';

/** Only what matters of a campaign, of which a site may have thousands. */
function campaignKind(sql: SqlBuilder, campaign: string): string {
  const lower = sql.functions.lower(campaign);
  const isShop = `${sql.capture(lower, '(([^a-df-z]|^)shop|shopping)')} <> ''`;
  return `case when ${campaign} = '' then '' when ${sql.contains(lower, 'cross-network')} then 'cross-network'
    else concat(case when ${isShop} then 'shop ' else '' end,
      case when ${sql.contains(lower, 'video')} then 'video' else '' end) end`;
}

/** What the key of a channel is made of. */
export const CHANNEL_COLUMNS = ['utm_source', 'utm_medium', 'utm_campaign', 'sent_referrer', 'site', 'clicks'] as const;

/** All that decides about the channel and the source of a session, as one text. */
export function channelKeySql(sql: SqlBuilder): string {
  const parts = CHANNEL_COLUMNS.map((name) => (name === 'utm_campaign' ? campaignKind(sql, name) : name));
  return `concat(${parts.join(`, ${sql.param(CHANNEL_SEPARATOR)}, `)})`;
}
