/** Parses the query parameters of groups, and builds the cursors of their list. */
import { invalid, notFound } from '../../../core/errors.ts';
import { isUuid } from '../../../core/events/uuid.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { type Query, queryText, readPage, withQuery } from '../../../http/paging.ts';
import type { GroupQuery, StoredGroup } from '../../../stores/metadata/groups.ts';
import type { RelatedTo } from '../related.ts';

export function readGroupTypeIndex(query: Query): number {
  const index = queryText(query, 'group_type_index') ?? '';
  if (!/^[0-4]$/.test(index)) throw invalid('group_type_index', 'A group_type_index of 0 to 4 is required.');
  return Number(index);
}

export function readGroupKey(query: Query): string {
  const key = queryText(query, 'group_key');
  if (!key) throw invalid('group_key', 'A group_key is required.', 'required');
  return key;
}

export function readRelatedTo(query: Query): RelatedTo {
  const id = queryText(query, 'id');
  if (!id) throw invalid('id', 'The key of a group, or the UUID of a person, is required.', 'required');
  if (queryText(query, 'group_type_index')) return { kind: 'group', typeIndex: readGroupTypeIndex(query), key: id };
  if (!isUuid(id)) throw invalid('id', 'Without a group_type_index, id is the UUID of a person.');
  return { kind: 'person', uuid: id.toLowerCase() };
}

export function readGroupQuery(query: Query): GroupQuery {
  return {
    search: queryText(query, 'search') || undefined,
    from: readCursor(queryText(query, 'cursor')),
    limit: readPage(query).limit,
  };
}

type Cursor = NonNullable<GroupQuery['from']>;

const writeCursor = ({ direction, cursor }: Cursor): string =>
  Buffer.from(JSON.stringify({ direction, createdAt: cursor.createdAt, key: cursor.key })).toString('base64url');

function readCursor(text: string | undefined): GroupQuery['from'] {
  if (!text) return undefined;
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const { direction, createdAt, key } = isJsonObject(cursor) ? cursor : {};
    const isValid = Number.isSafeInteger(createdAt) && typeof key === 'string';
    if ((direction === 'behind' || direction === 'before') && isValid) {
      return { direction, cursor: { createdAt: createdAt as number, key } };
    }
  } catch {
    // Invalid, like any other text.
  }
  throw notFound('Invalid cursor');
}

/**
 * A page of groups with links to the next and previous one. `found` has one group more than the limit if there are more
 * in the direction of the query; in the other direction there are more if the page was reached through a cursor.
 */
export function groupPage<R>(
  url: URL,
  { from, limit }: GroupQuery,
  found: readonly StoredGroup[],
  present: (group: StoredGroup) => R,
) {
  const isBackwards = from?.direction === 'before';
  const hasMore = found.length > limit;
  const shown = isBackwards ? found.slice(hasMore ? 1 : 0) : found.slice(0, limit);
  const link = (direction: Cursor['direction'], group: StoredGroup | undefined, exists: boolean): string | null =>
    group && exists ? withQuery(url, { cursor: writeCursor({ direction, cursor: group }) }) : null;
  return {
    next: link('behind', shown.at(-1), isBackwards || hasMore),
    previous: link('before', shown[0], isBackwards ? hasMore : from !== undefined),
    results: shown.map(present),
  };
}
