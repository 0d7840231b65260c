/** Only paths of this server: anything else could lead people to another site after they have signed in. */
export function nextPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_LENGTH || !/^\/(?![/\\])/.test(given)) return '/';
  // Browsers drop tabs and line breaks, and read a backslash as a slash.
  if (/[\\\p{Cc}]/u.test(given)) return '/';
  return URL.canParse(given, BASE) && new URL(given, BASE).origin === BASE ? given : '/';
}

const BASE = 'http://cairn.invalid';
const MAX_LENGTH = 1000;
