/**
 * Where sessions come from. The rules for channels and names of sources are in `core/web`: all that first views say is
 * listed beforehand, named there, and joined to the sessions.
 */
import { type Acquisition, channelOf, referringHost, sourceText } from '../../core/web/channel.ts';
import { DIRECT, sourceName } from '../../core/web/source-name.ts';
import type { ChannelRule, WebSettings } from '../../core/web/web-settings.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';
import { CHANNEL_COLUMNS, CHANNEL_SEPARATOR, channelKeySql } from '../../stores/events/session-columns.ts';
import { type TextFilterScope, textFilterSql } from './text-filter-sql.ts';

/** What a first view says, as one text, and what that means. */
export interface ChannelRow {
  key: string;
  channel: string;
  source: string;
  referrer: string;
}

/** More than this many are counted as of an unknown channel, under the source that was sent. */
const MAX_CHANNEL_ROWS = 50_000;
/** The keys of what views `said` (a statement with the columns above), the most frequent first. */
export function channelKeysSql(sql: SqlBuilder, said: string): string {
  const names = CHANNEL_COLUMNS.join(', ');
  return `select key, sum(n) as n from (
      select ${channelKeySql(sql)} as key, n from (select ${names}, count(*) as n from (${said}) a group by ${names}) g
    ) k group by key order by n desc, key limit ${sql.integer(MAX_CHANNEL_ROWS)}`;
}

/** What a key means. */
export function channelRow(key: string, ownDomains: readonly string[]): ChannelRow {
  const [source = '', medium = '', campaign = '', referrer = '', host = '', clicks = ''] = key.split(CHANNEL_SEPARATOR);
  const given: Acquisition = {
    source,
    medium,
    campaign,
    referrer,
    host,
    clickIds: {
      google: clicks.includes('g'),
      gadSource: clicks.includes('1') ? '1' : clicks.includes('a') ? 'other' : '',
      microsoft: clicks.includes('m'),
      meta: clicks.includes('f'),
    },
  };
  const from = referringHost(given, ownDomains);
  return {
    key,
    channel: channelOf(given, ownDomains),
    source: sourceName(sourceText(given, ownDomains)),
    referrer: from === DIRECT ? '' : from,
  };
}

/** What is left to say about a key beyond the limit. */
export function unnamedChannelRow(key: string): ChannelRow {
  const [utmSource = '', , , referrer = ''] = key.split(CHANNEL_SEPARATOR);
  return { key, channel: 'Unknown', source: utmSource || referrer, referrer };
}

interface ChannelScope extends TextFilterScope {
  settings: Pick<WebSettings, 'channel_rules'>;
}

/** Adds `channel`, `source` and `referrer` to sessions with what first views say, `url` and `entry`. */
export function channelSql(scope: ChannelScope, sessions: string, channels: readonly ChannelRow[]): string {
  const { sql, settings } = scope;
  const rules = settings.channel_rules.map((rule) => `when ${ruleSql(scope, rule)} then ${sql.param(rule.channel)}`);
  const known = `coalesce(c.channel, 'Unknown')`;
  const channel = rules.length === 0 ? known : `case ${rules.join(' ')} else ${known} end`;
  const sent = `case when o.utm_source <> '' then o.utm_source else o.sent_referrer end`;
  const named = sql.rows(['key', 'channel', 'source', 'referrer'], channels);
  return `select o.*, ${channel} as channel, coalesce(c.source, ${sent}) as source,
      coalesce(c.referrer, o.sent_referrer) as referrer
    from (select *, ${channelKeySql(sql)} as channel_key from ${sessions}) o
    left join ${named} c on c.key = o.channel_key`;
}

/** The place of the first rule of the project that a session, as `o`, fits; -1 for none. */
export function channelRuleSql(scope: ChannelScope): string {
  const rules = scope.settings.channel_rules.map((rule, at) => `when ${ruleSql(scope, rule)} then ${at}`);
  return rules.length === 0 ? '-1' : `case ${rules.join(' ')} else -1 end`;
}

const RULE_COLUMNS = {
  utm_source: 'o.utm_source',
  utm_medium: 'o.utm_medium',
  utm_campaign: 'o.utm_campaign',
  referring_domain: 'o.sent_referrer',
  url: 'o.url',
  pathname: 'o.entry',
  hostname: 'o.site',
} as const;

function ruleSql(scope: ChannelScope, { combiner, items }: ChannelRule): string {
  const conditions = items.map(({ key, op, value }) =>
    textFilterSql(scope, RULE_COLUMNS[key], { operator: op, values: value }),
  );
  return conditions.length === 0 ? 'false' : `(${conditions.join(combiner === 'OR' ? ' or ' : ' and ')})`;
}

/** The patterns of the project's own rules. */
export const patternsOfRules = (rules: readonly ChannelRule[]): string[] =>
  rules.flatMap(({ items }) => items.flatMap(({ op, value }) => (op.endsWith('regex') ? value : [])));
