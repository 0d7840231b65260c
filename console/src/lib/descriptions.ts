/** What the events and properties of SDKs mean, for pickers. A description of the project's own comes first. */
const EVENTS: Readonly<Record<string, string>> = {
  $pageview: 'A page was opened.',
  $pageleave: 'A page was left.',
  $autocapture: 'A click, a changed field or a sent form, captured without code.',
  $screen: 'A screen of a mobile app was opened.',
  $identify: 'An anonymous visitor became a known person.',
  $groupidentify: 'Properties of a group were set.',
  $set: 'Properties of a person were set.',
  $feature_flag_called: 'An app asked for the value of a feature flag.',
  $exception: 'An error in an app.',
  $rageclick: 'Several quick clicks on the same spot.',
  $web_vitals: 'Loading times of a page.',
};

const PROPERTIES: Readonly<Record<string, string>> = {
  $current_url: 'The whole address of the page.',
  $pathname: 'The address of the page without host and query.',
  $host: 'The host of the page.',
  $referrer: 'The page that linked here.',
  $referring_domain: 'The host that linked here.',
  $browser: 'Chrome, Firefox, Safari, …',
  $os: 'Windows, macOS, iOS, …',
  $device_type: 'Desktop, Mobile or Tablet.',
  $lib: 'The SDK that sent the event.',
  $session_id: 'The visit that the event belongs to.',
  $session_duration: 'Seconds between the first and the last event of the session.',
  $is_bounce: 'true where the session was short and of one page. Its average is the bounce rate.',
  $channel_type: 'Where the session came from: Direct, Organic Search, Email, …',
  $entry_pathname: 'The first page of the session.',
  $end_pathname: 'The last page of the session.',
  $entry_referring_domain: 'The host that linked to the first page.',
  utm_source: 'Who sent the traffic: newsletter, google, …',
  utm_campaign: 'The campaign that sent the traffic.',
  email: 'The email of the person.',
};

const own = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const describeEvent = (name: string, given?: string | null): string | undefined => given || own(EVENTS, name);
export const describeProperty = (name: string, given?: string | null): string | undefined =>
  given || own(PROPERTIES, name);
