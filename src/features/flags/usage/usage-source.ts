/** Which SDK asked: its family and version up to the minor one, such as `posthog-node/5.67`. */
const SDK = /\b(posthog-[a-z-]+)\/(\d+)(?:\.(\d+))?/i;
const VERSION = /^(\d+)(?:\.(\d+))?/;

export const OTHER_SOURCE = 'other';

/** @param version What posthog-js says in the query: its user agent is the browser's. */
export function usageSource(userAgent: string | undefined, version: string | null | undefined): string {
  const sdk = SDK.exec(userAgent ?? '');
  if (sdk?.[1]) return named(sdk[1].toLowerCase(), sdk[2], sdk[3]);
  const browser = VERSION.exec(version ?? '');
  return browser ? named('posthog-js', browser[1], browser[2]) : OTHER_SOURCE;
}

/** What `$lib` and `$lib_version` of an event say. */
export function libSource(lib: string | null, version: string | null): string {
  if (!lib) return OTHER_SOURCE;
  const [, major, minor] = VERSION.exec(version ?? '') ?? [];
  return major === undefined ? familyOf(lib) : named(familyOf(lib), major, minor);
}

/** `web` is how posthog-js names itself in events. */
const familyOf = (lib: string): string => (lib === 'web' ? 'posthog-js' : lib.slice(0, MAX_FAMILY_LENGTH));

const MAX_FAMILY_LENGTH = 64;

const named = (family: string, major = '0', minor = '0'): string =>
  `${family}/${major.slice(0, 4)}.${minor.slice(0, 4)}`;
