/** What is known of a session as properties, under PostHog's names, for filters, breakdowns and statistics. */

/** How their values are shown and compared. */
type SessionPropertyType = 'Numeric' | 'Boolean' | 'String';

export const SESSION_DURATION = '$session_duration';
export const SESSION_CHANNEL = '$channel_type';
export const SESSION_BOUNCE = '$is_bounce';

/** Name → type. Entry and end are the session's first and last page view. */
export const SESSION_PROPERTIES = {
  /** Seconds between its first and last event. */
  [SESSION_DURATION]: 'Numeric',
  [SESSION_BOUNCE]: 'Boolean',
  $pageview_count: 'Numeric',
  $screen_count: 'Numeric',
  $autocapture_count: 'Numeric',
  [SESSION_CHANNEL]: 'String',
  $entry_current_url: 'String',
  $entry_pathname: 'String',
  $entry_hostname: 'String',
  $end_current_url: 'String',
  $end_pathname: 'String',
  $end_hostname: 'String',
  $entry_referring_domain: 'String',
  $entry_utm_source: 'String',
  $entry_utm_medium: 'String',
  $entry_utm_campaign: 'String',
  $entry_utm_term: 'String',
  $entry_utm_content: 'String',
} as const satisfies Record<string, SessionPropertyType>;

export type SessionProperty = keyof typeof SESSION_PROPERTIES;

export const SESSION_PROPERTY_NAMES = Object.keys(SESSION_PROPERTIES) as SessionProperty[];

/** Older names of the same. */
const ALIASES: Readonly<Record<string, SessionProperty>> = {
  $exit_current_url: '$end_current_url',
  $exit_pathname: '$end_pathname',
};

/** The property of that name; undefined where sessions have none. */
export const sessionProperty = (name: string): SessionProperty | undefined =>
  ALIASES[name] ?? SESSION_PROPERTY_NAMES.find((one) => one === name);

/** Whether the values are numbers, so that they are shown as such, in the order of their size. */
export const isNumericSessionProperty = (name: string): boolean => {
  const known = sessionProperty(name);
  return known !== undefined && SESSION_PROPERTIES[known] === 'Numeric';
};

/** Whether a statistic of the property is one over sessions; bounces count 1, so that their average is the bounce rate. */
export const isSessionStatistic = (name: string): boolean => name === SESSION_BOUNCE || isNumericSessionProperty(name);

/** For messages. */
export const SESSION_PROPERTY_LIST = SESSION_PROPERTY_NAMES.join(', ');
