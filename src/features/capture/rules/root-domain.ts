/** Second levels under which others register their names, below a country of two letters: `example.co.uk`. */
const SHARED_LEVELS = new Set(['co', 'com', 'org', 'net', 'ne', 'or', 'go', 'ac', 'gov', 'edu']);

/** The site of a host or URL: without scheme, user, path and sub-domains, with the port. Empty where there is none. */
export function rootDomain(host: string): string {
  const url = parseHost(host.slice(0, 2000));
  if (url === undefined) return '';
  const { hostname, port } = url;
  const name = hostname === 'localhost' ? '127.0.0.1' : siteOf(hostname);
  return port === '' ? name : `${name}:${port}`;
}

/** Ports that a scheme implies are kept, since another scheme would have them: hence one that implies none. */
function parseHost(text: string): { hostname: string; port: string } | undefined {
  const bare = text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  const url = `http://${bare}`;
  if (bare === '' || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return { hostname, port: port === '' && /:80(?:[/?#]|$)/.test(bare) ? '80' : port };
}

function siteOf(hostname: string): string {
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return hostname;
  const labels = hostname.split('.');
  const [second = '', last = ''] = labels.slice(-2);
  return labels.slice(last.length === 2 && SHARED_LEVELS.has(second) ? -3 : -2).join('.');
}
