/** Events as a browser SDK sends them: about 25 properties, 900 bytes. Made up; the same for the same seed. */
import { pick } from '../../src/features/demo/rules/seeded-random.ts';

const PAGES = [
  '/',
  '/pricing',
  '/docs',
  '/docs/start',
  '/docs/api',
  '/blog',
  '/signup',
  '/login',
  '/app',
  '/app/settings',
];
const NAMES = [
  '$pageview',
  '$pageview',
  '$pageview',
  '$autocapture',
  '$autocapture',
  '$pageleave',
  'signed up',
  'plan chosen',
];
const BROWSERS = [
  { $browser: 'Chrome', $browser_version: 126, $os: 'Windows', $os_version: '10.0', $device_type: 'Desktop' },
  { $browser: 'Safari', $browser_version: 17.4, $os: 'Mac OS X', $os_version: '10.15.7', $device_type: 'Desktop' },
  { $browser: 'Mobile Safari', $browser_version: 17.5, $os: 'iOS', $os_version: '17.5.1', $device_type: 'Mobile' },
  { $browser: 'Firefox', $browser_version: 127, $os: 'Linux', $os_version: '', $device_type: 'Desktop' },
];

/** Browser and referrer depend on `person` only; the rest changes with each event. */
export function browserEvent(random: () => number, person: number, uuid: string, timestamp: string): object {
  const page = pick(random, PAGES);
  const referrer = person % 3 === 0 ? 'https://search.example/' : '$direct';
  return {
    uuid,
    event: pick(random, NAMES),
    distinct_id: `person-${String(person).padStart(8, '0')}`,
    timestamp,
    properties: {
      ...BROWSERS[person % BROWSERS.length],
      $current_url: `https://demo.example${page}`,
      $host: 'demo.example',
      $pathname: page,
      $browser_language: 'en-GB',
      $screen_height: 1080,
      $screen_width: 1920,
      $viewport_height: 600 + Math.floor(random() * 400),
      $viewport_width: 1200 + Math.floor(random() * 700),
      $lib: 'web',
      $lib_version: '1.257.0',
      $insert_id: uuid.slice(-12),
      $time: 1_750_000_000.123,
      $device_id: `device-${person}`,
      $session_id: `session-${person}-${Math.floor(random() * 5)}`,
      $window_id: `window-${person}`,
      $referrer: referrer,
      $referring_domain: referrer === '$direct' ? '$direct' : 'search.example',
      $raw_user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0',
      title: `Demo ${page}`,
      plan: pick(random, ['free', 'team', 'business']),
      count: Math.floor(random() * 1000),
    },
  };
}
