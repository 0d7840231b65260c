/**
 * Browser, system and kind of device by a user agent, in the words of posthog-js and in the order in which it asks, so that
 * tables do not split between events that say it themselves and those that do not.
 */
export type Device = {
  $browser?: string;
  $browser_version?: number;
  $os?: string;
  $os_version?: string;
  $device_type: 'Desktop' | 'Mobile' | 'Tablet' | 'Console' | 'Wearable';
};

/** `version`: what stands in front of the number. */
interface BrowserRule {
  name: string;
  mark: RegExp;
  /** Must be there, too. */
  also?: RegExp;
  version?: RegExp;
}

const NUMBER = '(\\d+(?:\\.\\d+)?)';
const after = (mark: string, flags = ''): RegExp => new RegExp(`(?:${mark})${NUMBER}`, flags);

const BROWSERS: readonly BrowserRule[] = [
  { name: 'Opera Mini', mark: / OPR\//, also: /Mini/ },
  { name: 'Opera', mark: / OPR\//, version: after('Opera/|OPR/') },
  { name: 'BlackBerry', mark: /BlackBerry|PlayBook|BB10/i, version: after('BlackBerry |Version/') },
  { name: 'Internet Explorer Mobile', mark: /IEMobile|WPDesktop/, version: after('rv:') },
  { name: 'Oculus Browser', mark: /OculusBrowser/, version: after('OculusBrowser/') },
  { name: 'Samsung Internet', mark: /SamsungBrowser/, version: after('SamsungBrowser/') },
  // posthog-js does not know the two of telephones.
  { name: 'Microsoft Edge', mark: /Edge|Edg\/|EdgA\/|EdgiOS\//, version: after('Edge/|Edg/|EdgA/|EdgiOS/') },
  { name: 'Vivaldi', mark: /Vivaldi\//, version: after('Vivaldi/') },
  { name: 'Yandex', mark: /YaBrowser\//, version: after('YaBrowser/') },
  { name: 'Whale', mark: /Whale\//, version: after('Whale/') },
  { name: 'DuckDuckGo', mark: /DuckDuckGo\/|Ddg\//, version: after('DuckDuckGo/|Ddg/') },
  { name: 'Claude', mark: /Claude\//, version: after('Claude/') },
  { name: 'Codex', mark: /Codex\//, version: after('Codex/') },
  { name: 'ChatGPT', mark: /ChatGPT\//, version: after('ChatGPT/') },
  { name: 'Facebook Mobile', mark: /FBIOS/ },
  { name: 'UC Browser', mark: /UCWEB|UCBrowser/, version: after('UCBrowser/|UCWEB/') },
  { name: 'Chrome iOS', mark: /CriOS/, version: after('CriOS/') },
  { name: 'Chrome', mark: /Chrome|CrMo/, version: after('Chrome/|CrMo/') },
  { name: 'Android Mobile', mark: /Android/, also: /Safari/, version: after('android\\s', 'i') },
  { name: 'Firefox iOS', mark: /FxiOS/, version: after('FxiOS/') },
  { name: 'Konqueror', mark: /konqueror/i, version: after('Konqueror[:/]?', 'i') },
  { name: 'Brave', mark: /Brave\//, version: after('Brave/') },
  { name: 'Mobile Safari', mark: /Safari/, also: /Mobile/, version: after('Version/') },
  { name: 'Safari', mark: /Safari/, version: after('Version/') },
  { name: 'Pale Moon', mark: /PaleMoon\//, version: after('PaleMoon/') },
  { name: 'Waterfox', mark: /Waterfox\//, version: after('Waterfox/') },
  { name: 'Firefox', mark: /Firefox/, version: after('Firefox/') },
  { name: 'Internet Explorer', mark: /MSIE|Trident\//, version: after('rv:|MSIE ') },
  { name: 'Firefox', mark: /Gecko/, version: after('Firefox/') },
];

const WINDOWS_VERSIONS: Readonly<Record<string, string>> = {
  '5.0': '2000',
  '5.1': 'XP',
  '5.2': 'XP',
  '6.0': 'Vista',
  '6.1': '7',
  '6.2': '8',
  '6.3': '8.1',
  '6.4': '10',
  '10.0': '10',
};

interface SystemRule {
  mark: RegExp;
  read(match: RegExpExecArray, agent: string): [name: string, version?: string | undefined];
}

/** `10_15` is 10.15.0. */
const dotted = (major: string | undefined, minor = '0', patch = '0'): string | undefined =>
  major === undefined ? undefined : `${major}.${minor}.${patch}`;

const SYSTEMS: readonly SystemRule[] = [
  { mark: /Xbox; Xbox ([^);]*)/i, read: ([, version]) => ['Xbox', version] },
  { mark: /Nintendo/i, read: () => ['Nintendo'] },
  { mark: /PlayStation/i, read: () => ['PlayStation'] },
  { mark: /BlackBerry|PlayBook|BB10/i, read: () => ['BlackBerry'] },
  { mark: /Windows(?: NT ([\d.]+))?/i, read: ([, version], agent) => windows(version, agent) },
  {
    mark: /(?:iPhone|iPad|iPod)(?:.{0,100}?OS (\d+)_(\d+)(?:_(\d+))?)?/,
    read: ([, major, minor, patch]) => ['iOS', dotted(major, minor, patch)],
  },
  {
    mark: /watch.{0,100}?\/(\d+\.\d+\.\d+)|watch os,(\d+\.\d+),/i,
    read: ([, long, short]) => ['watchOS', long ?? short],
  },
  {
    mark: /Android(?: (\d+)(?:\.(\d+)(?:\.(\d+))?)?)?/i,
    // posthog-js does not know versions without a dot.
    read: ([, major, minor, patch]) => ['Android', minor === undefined ? major : dotted(major, minor, patch)],
  },
  {
    mark: /Mac OS X(?: (\d+)[_.](\d+)(?:[_.](\d+))?)?/i,
    read: ([, major, minor, patch]) => ['Mac OS X', dotted(major, minor, patch)],
  },
  { mark: /Mac/i, read: () => ['Mac OS X'] },
  { mark: /CrOS/, read: () => ['Chrome OS'] },
  { mark: /Linux|debian/i, read: () => ['Linux'] },
];

function windows(version: string | undefined, agent: string): [string, string?] {
  if (/Phone|WPDesktop/.test(agent)) return ['Windows Phone'];
  if (/Mobile/.test(agent) && !/IEMobile\b/.test(agent)) return ['Windows Mobile'];
  const known = version === undefined ? undefined : WINDOWS_VERSIONS[version];
  return known === undefined ? ['Windows'] : ['Windows', /arm/i.test(agent) ? 'RT' : known];
}

const DEVICE_TYPES: readonly (readonly [Device['$device_type'], RegExp])[] = [
  ['Console', /Xbox|PlayStation|Nintendo|Ouya/i],
  ['Mobile', /Windows Phone|WPDesktop/i],
  ['Tablet', /iPad/],
  ['Mobile', /iPhone|iPod/],
  ['Wearable', /watch(?: ?os[,/]|\d,\d\/)[\d.]/i],
  ['Mobile', /BlackBerry|PlayBook|BB10/i],
  ['Tablet', /kobo (?:ereader|touch)/i],
  ['Mobile', /Nokia/i],
  ['Tablet', /\bKF[A-Z]{2,}(?: Bui|\))/],
  ['Mobile', /Mobile/i],
  ['Tablet', /Android|Tablet(?! PC)/i],
];

export function readDevice(agent: string): Device {
  const browser = BROWSERS.find(({ mark, also }) => mark.test(agent) && also?.test(agent) !== false);
  const version = browser?.version?.exec(agent)?.[1];
  const [os, osVersion] = systemOf(agent);
  return {
    ...(browser && { $browser: browser.name }),
    ...(version && { $browser_version: Number.parseFloat(version) }),
    ...(os && { $os: os }),
    ...(osVersion && { $os_version: osVersion }),
    $device_type: DEVICE_TYPES.find(([, mark]) => mark.test(agent))?.[0] ?? 'Desktop',
  };
}

function systemOf(agent: string): [name?: string, version?: string | undefined] {
  for (const { mark, read } of SYSTEMS) {
    const match = mark.exec(agent);
    if (match) return read(match, agent);
  }
  return [];
}
