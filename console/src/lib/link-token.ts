/**
 * The token of a one-time link: `/setup#token=…`. Browsers do not send the fragment to the server. Links of earlier
 * versions have it in the query.
 */
export function readLinkToken({ hash, search }: Pick<Location, 'hash' | 'search'>): string {
  const inFragment = new URLSearchParams(hash.slice(1)).get('token');
  return inFragment ?? new URLSearchParams(search).get('token') ?? '';
}
