/** Reads the query parameters of groups, and writes the cursors of their list. */
import { invalid, notFound } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { type Query, queryText, readPage, withQuery } from '../../../http/paging.ts';
import type { GroupQuery, StoredGroup } from '../../../stores/metadata/groups.ts';

export function readGroupTypeIndex(query: Query): number {
  const index = queryText(query, 'group_type_index') ?? '';
  if (!/^[0-4]$/.test(index))
    throw invalid('group_type_index', 'Say which kind of group: a group_type_index of 0 to 4.');
  return Number(index);
}

export function readGroupKey(query: Query): string {
  const key = queryText(query, 'group_key');
  if (!key) throw invalid('group_key', 'Say which group: its group_key.', 'required');
  return key;
}

export function readGroupQuery(query: Query): GroupQuery {
  return {
    search: queryText(query, 'search') || undefined,
    from: readCursor(queryText(query, 'cursor')),
    limit: readPage(query).limit,
  };
}

type Cursor = NonNullable<GroupQuery['from']>;

const writeCursor = ({ direction, place }: Cursor): string =>
  Buffer.from(JSON.stringify({ direction, createdAt: place.createdAt, key: place.key })).toString('base64url');

function readCursor(text: string | undefined): GroupQuery['from'] {
  if (!text) return undefined;
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const { direction, createdAt, key } = isJsonObject(cursor) ? cursor : {};
    const isWhole = Number.isSafeInteger(createdAt) && typeof key === 'string';
    if ((direction === 'behind' || direction === 'before') && isWhole) {
      return { direction, place: { createdAt: createdAt as number, key } };
    }
  } catch {
    // As good as any other text that is no cursor.
  }
  throw notFound('Invalid cursor');
}

/**
 * A page of groups with links to its neighbours. `found` holds one group more than fits where there is more in the
 * direction that was looked; in the other direction there is more when the page was reached through a cursor.
 */
export function groupPage<R>(
  url: URL,
  { from, limit }: GroupQuery,
  found: readonly StoredGroup[],
  present: (group: StoredGroup) => R,
) {
  const isBackwards = from?.direction === 'before';
  const isMore = found.length > limit;
  const shown = isBackwards ? found.slice(isMore ? 1 : 0) : found.slice(0, limit);
  const link = (direction: Cursor['direction'], place: StoredGroup | undefined, exists: boolean): string | null =>
    place && exists ? withQuery(url, { cursor: writeCursor({ direction, place }) }) : null;
  return {
    next: link('behind', shown.at(-1), isBackwards || isMore),
    previous: link('before', shown[0], isBackwards ? isMore : from !== undefined),
    results: shown.map(present),
  };
}
