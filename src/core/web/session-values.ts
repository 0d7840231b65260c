/** What a session of a site is made of: which events count, and which properties give it its values. */

/** Events that are page views. */
export const VIEW_EVENTS = ['$pageview', '$screen'] as const;
/** Events that tell how the page before was read: the next view, and the end of a visit. */
export const READ_EVENTS = ['$pageview', '$pageleave'] as const;
/** More than one of these, and a session is no bounce. */
export const HIT_EVENTS = [...VIEW_EVENTS, '$autocapture'] as const;
/** Properties that only events of a page have. */
export const PAGE_PROPERTIES = ['$current_url', '$pathname', '$screen_name'] as const;

/** Tags of campaigns, which the first view says. */
export const TAG_KEYS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
/** Ids of clicks: each adds a letter; `gad_source=1` is a search, any other an ad. */
export const CLICK_IDS = { gclid: 'g', gbraid: 'g', wbraid: 'g', gad_source: 'a', msclkid: 'm', fbclid: 'f' } as const;
/** All that the first view says about where a session came from, besides its path. */
export const ACQUISITION_COLUMNS = [...TAG_KEYS, 'sent_referrer', 'site', 'url', 'clicks'] as const;

/** Values of which the first known one among the session's events counts. */
export const KNOWN_PROPERTIES = {
  device: '$device_type',
  browser: '$browser',
  browser_version: '$browser_version',
  os: '$os',
  country: '$geoip_country_code',
  region: '$geoip_subdivision_1_name',
  city: '$geoip_city_name',
  language: '$browser_language',
  screen_size: '$viewport_width',
  host: '$host',
} as const;

export type KnownKey = keyof typeof KNOWN_PROPERTIES;
export const KNOWN_KEYS = Object.keys(KNOWN_PROPERTIES) as KnownKey[];
