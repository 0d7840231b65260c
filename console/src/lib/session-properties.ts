/** The properties of sessions, in the order of the picker, and the tables of web analytics that have their values. */
import { propertyLabel } from './friendly-names.ts';

const TABLES: Readonly<Record<string, string | null>> = {
  $channel_type: 'channel',
  $entry_pathname: 'entry',
  $end_pathname: 'exit',
  $session_duration: null,
  $is_bounce: null,
  $pageview_count: null,
  $screen_count: null,
  $autocapture_count: null,
  $entry_referring_domain: 'referrer',
  $entry_current_url: null,
  $end_current_url: null,
  $entry_hostname: 'host',
  $end_hostname: 'host',
  $entry_utm_source: 'utm_source',
  $entry_utm_medium: 'utm_medium',
  $entry_utm_campaign: 'utm_campaign',
  $entry_utm_term: 'utm_term',
  $entry_utm_content: 'utm_content',
};

const STATISTICS = ['$session_duration', '$is_bounce', '$pageview_count', '$screen_count', '$autocapture_count'];

const isFound = (name: string, search: string): boolean =>
  `${name} ${propertyLabel(name)}`.toLowerCase().includes(search.toLowerCase());

/** By raw name or by label. */
export const findSessionProperties = (search: string): string[] =>
  Object.keys(TABLES).filter((name) => isFound(name, search));

/** Those with numbers: one of each session. */
export const findSessionStatistics = (search: string): string[] => STATISTICS.filter((name) => isFound(name, search));

/** The table with the values; null where there is none. */
export const sessionTable = (name: string): string | null => TABLES[name] ?? null;
