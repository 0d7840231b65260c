/**
 * Names for the events and properties that SDKs and the server set. The console shows these; the API only ever gets the
 * raw names.
 */
const EVENTS: Readonly<Record<string, string>> = {
  $pageview: 'Pageview',
  $pageleave: 'Pageleave',
  $autocapture: 'Autocapture',
  $screen: 'Screen',
  $identify: 'Identify',
  $create_alias: 'Alias',
  $merge_dangerously: 'Merge',
  $groupidentify: 'Group identify',
  $set: 'Set person properties',
  $feature_flag_called: 'Feature flag called',
  $feature_enrollment_update: 'Feature enrollment',
  $exception: 'Exception',
  $rageclick: 'Rageclick',
  $dead_click: 'Dead click',
  $copy_autocapture: 'Clipboard autocapture',
  $web_vitals: 'Web vitals',
  $performance_event: 'Performance event',
  $snapshot: 'Session recording',
  $$heatmap: 'Heatmap',
  $opt_in: 'Opt in',
  $survey_shown: 'Survey shown',
  $survey_sent: 'Survey sent',
  $survey_dismissed: 'Survey dismissed',
  $csp_violation: 'CSP violation',
  $ai_generation: 'AI generation',
  $ai_trace: 'AI trace',
  $ai_span: 'AI span',
  $ai_embedding: 'AI embedding',
};

const PROPERTIES: Readonly<Record<string, string>> = {
  distinct_id: 'Distinct ID',
  $current_url: 'Current URL',
  $host: 'Host',
  $pathname: 'Path',
  $referrer: 'Referrer URL',
  $referring_domain: 'Referring domain',
  $search_engine: 'Search engine',
  $browser: 'Browser',
  $browser_version: 'Browser version',
  $browser_language: 'Browser language',
  $browser_language_prefix: 'Browser language prefix',
  $os: 'OS',
  $os_version: 'OS version',
  $os_name: 'OS name',
  $device: 'Device',
  $device_id: 'Device ID',
  $device_type: 'Device type',
  $device_name: 'Device name',
  $device_model: 'Device model',
  $device_manufacturer: 'Device manufacturer',
  $raw_user_agent: 'Raw user agent',
  $user_agent: 'User agent',
  $screen_name: 'Screen name',
  $screen_height: 'Screen height',
  $screen_width: 'Screen width',
  $viewport_height: 'Viewport height',
  $viewport_width: 'Viewport width',
  $session_id: 'Session ID',
  $session_duration: 'Session duration',
  $is_bounce: 'Bounced',
  $pageview_count: 'Pageviews in session',
  $screen_count: 'Screens in session',
  $autocapture_count: 'Autocaptures in session',
  $channel_type: 'Channel',
  $entry_current_url: 'Entry URL',
  $entry_pathname: 'Entry path',
  $entry_hostname: 'Entry host',
  $end_current_url: 'Exit URL',
  $end_pathname: 'Exit path',
  $end_hostname: 'Exit host',
  $entry_referring_domain: 'Entry referring domain',
  $entry_utm_source: 'Entry UTM source',
  $entry_utm_medium: 'Entry UTM medium',
  $entry_utm_campaign: 'Entry UTM campaign',
  $entry_utm_term: 'Entry UTM term',
  $entry_utm_content: 'Entry UTM content',
  $window_id: 'Window ID',
  $pageview_id: 'Pageview ID',
  $user_id: 'User ID',
  $anon_distinct_id: 'Anonymous distinct ID',
  $is_identified: 'Is identified',
  $process_person_profile: 'Process person profile',
  $lib: 'Library',
  $lib_version: 'Library version',
  $ip: 'IP address',
  $time: 'Time',
  $timestamp: 'Timestamp',
  $sent_at: 'Sent at',
  $insert_id: 'Insert ID',
  $creator_event_uuid: 'Creator event UUID',
  $timezone: 'Time zone',
  $timezone_offset: 'Time zone offset',
  $locale: 'Locale',
  $geoip_city_name: 'City',
  $geoip_country_name: 'Country',
  $geoip_country_code: 'Country code',
  $geoip_continent_name: 'Continent',
  $geoip_continent_code: 'Continent code',
  $geoip_postal_code: 'Postal code',
  $geoip_latitude: 'Latitude',
  $geoip_longitude: 'Longitude',
  $geoip_time_zone: 'GeoIP time zone',
  $geoip_subdivision_1_name: 'Region',
  $geoip_subdivision_1_code: 'Region code',
  $geoip_subdivision_2_name: 'Subregion',
  $geoip_subdivision_2_code: 'Subregion code',
  $geoip_disable: 'GeoIP disabled',
  $event_type: 'Event type',
  $el_text: 'Element text',
  $elements: 'Elements',
  $elements_chain: 'Element chain',
  $feature_flag: 'Feature flag',
  $feature_flag_response: 'Feature flag response',
  $feature_flag_payload: 'Feature flag payload',
  $active_feature_flags: 'Active feature flags',
  $enabled_feature_flags: 'Enabled feature flags',
  $groups: 'Groups',
  $group_type: 'Group type',
  $group_key: 'Group key',
  $group_set: 'Group properties set',
  $set: 'Person properties set',
  $set_once: 'Person properties set once',
  $unset: 'Person properties unset',
  $app_name: 'App name',
  $app_version: 'App version',
  $app_build: 'App build',
  $app_namespace: 'App namespace',
  $network_wifi: 'Network: Wi-Fi',
  $network_cellular: 'Network: cellular',
  $network_carrier: 'Network carrier',
  $exception_type: 'Exception type',
  $exception_message: 'Exception message',
  $exception_level: 'Exception level',
  $exception_list: 'Exception list',
  $exception_source: 'Exception source',
  $prev_pageview_pathname: 'Previous path',
  $prev_pageview_duration: 'Previous pageview duration',
  utm_source: 'UTM source',
  utm_medium: 'UTM medium',
  utm_campaign: 'UTM campaign',
  utm_content: 'UTM content',
  utm_term: 'UTM term',
  gclid: 'Google click ID',
  gad_source: 'Google Ads source',
  gbraid: 'Google app click ID (gbraid)',
  wbraid: 'Google web click ID (wbraid)',
  dclid: 'DoubleClick click ID',
  fbclid: 'Facebook click ID',
  msclkid: 'Microsoft click ID',
  twclid: 'X click ID',
  li_fat_id: 'LinkedIn click ID',
  ttclid: 'TikTok click ID',
};

/** 'Current URL' → 'current URL'; abbreviations stay: 'OS version'. */
const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function propertyLabelOrNull(name: string): string | undefined {
  const known = own(PROPERTIES, name);
  if (known !== undefined) return known;
  if (name.startsWith('$feature/')) return `Feature flag: ${name.slice('$feature/'.length)}`;
  const initial = /^\$initial_(.+)$/.exec(name)?.[1];
  const first = initial && (own(PROPERTIES, `$${initial}`) ?? own(PROPERTIES, initial));
  return first ? `Initial ${lowerFirst(first)}` : undefined;
}

/** `$pageview` → 'Pageview'; a custom event keeps its name. */
export const eventLabel = (name: string): string => own(EVENTS, name) ?? name;
/** `$current_url` → 'Current URL'; a custom property keeps its name. */
export const propertyLabel = (name: string): string => propertyLabelOrNull(name) ?? name;

/** Both directions, for fields in which names are typed or picked. */
export interface NameTable {
  label(name: string): string;
  /** The raw name of a label; any other text is taken as a raw name. */
  nameOf(text: string): string;
}

const tableOf = (names: Readonly<Record<string, string>>, label: (name: string) => string): NameTable => {
  const byLabel = new Map(Object.entries(names).map(([name, text]) => [text, name]));
  return { label, nameOf: (text) => byLabel.get(text) ?? text };
};
export const EVENT_NAMES = tableOf(EVENTS, eventLabel);
export const PROPERTY_NAMES = tableOf(PROPERTIES, propertyLabel);

const MAX_MATCHES = 3;
const containsAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Raw names that only their label matches: the server's search finds the others. */
function matches(names: Readonly<Record<string, string>>, search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return Object.entries(names)
    .filter(([name, label]) => containsAll(label, words) && !containsAll(name, words))
    .map(([name]) => name)
    .slice(0, MAX_MATCHES);
}
export const matchingEvents = (search: string): string[] => matches(EVENTS, search);
export const matchingProperties = (search: string): string[] => matches(PROPERTIES, search);
