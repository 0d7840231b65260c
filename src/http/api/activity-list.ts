/** Activity lists: newest first, in numbered pages. */
import type { User } from '../../stores/metadata/accounts.ts';
import type { ActivityQuery, MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { type Query, readActivityPage, withQuery } from '../paging.ts';
import { presentActivity } from '../schemas/activity.ts';

export async function listActivity(deps: { metadata: MetadataStore }, about: ActivityQuery, query: Query, url: URL) {
  const page = readActivityPage(query);
  const { count, items } = await deps.metadata.activity.list(about, page);
  const users = await usersById(
    deps.metadata,
    items.map((item) => item.userId),
  );
  const link = (number: number): string => withQuery(url, { page: number, limit: page.limit });
  return {
    results: items.map((item) => presentActivity(item, users)),
    next: page.offset + page.limit < count ? link(page.number + 1) : null,
    previous: page.number > 1 ? link(page.number - 1) : null,
    total_count: count,
  };
}

export async function usersById(
  metadata: MetadataStore,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, User>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  return new Map((await metadata.users.listByIds(known)).map((user) => [user.id, user]));
}
