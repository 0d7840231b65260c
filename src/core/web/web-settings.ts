/** A project's settings of web analytics, stored as the API has them. */
export interface WebSettings {
  /** Whether events get the place of their address. */
  geoip: boolean;
  /** Shorter sessions of one page are bounces. */
  bounce_seconds: number;
  /** In this order; applied when a question is asked, never to stored events. */
  path_rules: PathRule[];
  goals: WebGoal[];
  /** Hosts of the site itself: as referrers they count as direct. */
  own_domains: string[];
  /** Addresses and networks (CIDR) whose visits are labelled as the project's own. */
  own_addresses: string[];
  /** The first that fits decides, before the built-in rules. */
  channel_rules: ChannelRule[];
  /** Hosts whose sessions are left out of the tables. */
  hidden_referrers: string[];
}

interface PathRule {
  /** A pattern of RE2. */
  pattern: string;
  replacement: string;
}

export interface WebGoal {
  id: string;
  name: string;
  type: 'event' | 'action' | 'path';
  /** The event's name, the action's id, or a pattern of RE2 that is found in the path. */
  value: string;
}

export interface ChannelRule {
  channel: string;
  combiner: 'AND' | 'OR';
  items: ChannelRuleItem[];
}

export interface ChannelRuleItem {
  key: (typeof CHANNEL_RULE_KEYS)[number];
  op: (typeof CHANNEL_RULE_OPERATORS)[number];
  /** Several: one of them. Empty for `is_set` and `is_not_set`. */
  value: string[];
}

export const CHANNEL_RULE_KEYS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'referring_domain',
  'url',
  'pathname',
  'hostname',
] as const;

export const CHANNEL_RULE_OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'is_set',
  'is_not_set',
] as const;

export const DEFAULT_WEB_SETTINGS: WebSettings = {
  geoip: true,
  bounce_seconds: 10,
  path_rules: [],
  goals: [],
  own_domains: [],
  own_addresses: [],
  channel_rules: [],
  hidden_referrers: [],
};

/**
 * How visitors without cookies are told apart: not at all (their events are dropped), or by a hash. PostHog's third mode,
 * which also keeps state, is taken for the second.
 */
export const COOKIELESS_OFF = 0;
export const COOKIELESS_STATELESS = 1;
export const COOKIELESS_STATEFUL = 2;

export type CookielessMode = typeof COOKIELESS_OFF | typeof COOKIELESS_STATELESS | typeof COOKIELESS_STATEFUL;
