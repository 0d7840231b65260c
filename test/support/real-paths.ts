import type { Answer, CallOptions } from './client.ts';
import type { OpenApi, Operation } from './openapi.ts';

type Get = (path: string, options?: CallOptions) => Promise<Answer>;

/** Queries that some paths need, by the end of the path. */
const QUERIES: Readonly<Record<string, string>> = {
  '{project_id}/groups/': '?group_type_index=0',
  '{project_id}/groups/find/': '?group_type_index=0&group_key=acme',
  '{project_id}/groups/related/': '?group_type_index=0&id=acme',
  '{project_id}/groups/property_values/': '?group_type_index=0&key=plan',
  'persons/funnel/': '?events=[{"id":"seen"}]&funnel_step=1',
  'person/funnel/': '?events=[{"id":"seen"}]&funnel_step=1',
  'persons/funnel/correlation/': '?events=[{"id":"seen"}]&funnel_correlation_person_entity={"id":"seen"}',
  'person/funnel/correlation/': '?events=[{"id":"seen"}]&funnel_correlation_person_entity={"id":"seen"}',
  'evaluation_reasons/': '?distinct_id=somebody',
  'web_analytics/breakdown/': '?by=page',
  'trends/': '?entity_id=seen&entity_type=events',
  'lifecycle/': '?events=["seen"]&target_date=2026-01-15&lifecycle_type=new',
  'stickiness/': '?entity_id=seen&stickiness_days=1',
};

/**
 * Fills the parameters of a path with ids of things that exist, so that routes added later are covered without a word:
 * an id is that of the first item in the list which the path is below.
 */
export async function realPath(get: Get, { path }: Pick<Operation, 'path'>): Promise<string> {
  const me = (await get('/api/users/@me/')).body;
  const known: Record<string, string> = {
    '/api/users/': me.uuid,
    '/api/projects/': String(me.team.id),
    '/api/organizations/': me.organization.id,
    // Queries have no list.
    [`/api/projects/${me.team.id}/query/`]: 'nightly',
  };
  const query = Object.entries(QUERIES).find(([end]) => path.endsWith(`/${end}`))?.[1] ?? '';
  let filled = '/';
  for (const part of path.split('/').filter((one) => one !== '')) {
    filled += part.startsWith('{') ? `${known[filled] ?? (await firstOf(get, filled, part))}/` : `${part}/`;
  }
  return filled + query;
}

async function firstOf(get: Get, collection: string, part: string): Promise<string> {
  const { body } = await get(collection);
  const list = Array.isArray(body) ? body : (body.results ?? []);
  const item = list.at(-1);
  return String((part === '{user_uuid}' ? item?.user?.uuid : item?.id) ?? 1);
}

/** Gets each path once, to fill many paths with the same ids. */
export function cachingGet(get: Get): Get {
  const known = new Map<string, Promise<Answer>>();
  return (path) => {
    const answer = known.get(path) ?? get(path);
    known.set(path, answer);
    return answer;
  };
}

/** Reading an insight counts as usage, and caches its result. */
const CHANGED_BY_READING = new Set([
  'last_used_at',
  'query_usage_30_day',
  'is_cached',
  'last_refresh',
  'calculated_at',
]);

/** The state of the machine, and the logs in which the first use of a key from a network is. */
const CHANGES_BY_ITSELF = new Set([
  '/api/server_status/',
  '/api/organizations/{organization_id}/audit/',
  '/api/organizations/{organization_id}/activity/',
]);

/** Everything that the owner can read, by path, without what reading itself changes. */
export async function readEverything(get: Get, api: OpenApi): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const asked = cachingGet(get);
  const isData = ({ path }: Operation): boolean => !CHANGES_BY_ITSELF.has(path);
  const reads = api.operations.filter((one) => one.method === 'GET' && one.isPrivate && isData(one));
  for (const operation of reads) {
    const path = await realPath(asked, operation);
    seen[path] = JSON.parse(JSON.stringify((await get(path)).body), (name, value) =>
      CHANGED_BY_READING.has(name) ? null : value,
    );
  }
  return seen;
}
