/**
 * Resources: things of a project that a client reads by their address, such as `cairn://project/1/flag/new-checkout`, and
 * the guides of this version. Reading one calls the routes of the API, so it needs their scopes.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { missingScope } from '../../../core/scopes.ts';
import { markData, tameTexts } from '../rules/mark-data.ts';
import type { CallRoute } from './call-route.ts';
import { isTooLong, WARNING } from './call-tool.ts';
import { isPathStep } from './tool-request.ts';

interface ResourceDeps {
  guides: ReadonlyMap<string, string>;
  /** Id of a flag of the project; null if there is none with this key. */
  findFlagId(projectId: number, key: string): Promise<number | null>;
  newId(): string;
}

interface Kind {
  /** Below `cairn://project/{id}/`. */
  path: string;
  name: string;
  scopes: readonly string[];
  /** Paths below `/api/projects/{id}/`, by the name that their answer has. */
  reads: (item: string) => Readonly<Record<string, string>>;
  /** The list that has its items, and how each is shown. */
  lists?: { path: string; show: (item: JsonObject) => [id: Json | undefined, name: Json | undefined] };
}

const MAX_LISTED = 100;

const KINDS: readonly Kind[] = [
  {
    path: 'schema',
    name: 'Events, properties and tables',
    scopes: ['event_definition:read', 'property_definition:read', 'query:read'],
    reads: () => ({
      events: 'event_definitions/?limit=200',
      event_properties: 'property_definitions/?type=event&limit=200',
      person_properties: 'property_definitions/?type=person&limit=200',
      sql: 'query/schema/',
    }),
  },
  {
    path: 'flags',
    name: 'Feature flags',
    scopes: ['feature_flag:read'],
    reads: () => ({ '': `feature_flags/?limit=${MAX_LISTED}` }),
  },
  {
    path: 'flag/{key}',
    name: 'A feature flag',
    scopes: ['feature_flag:read'],
    reads: (id) => ({ '': `feature_flags/${id}/` }),
    lists: { path: 'feature_flags/', show: ({ key }) => [key, key] },
  },
  {
    path: 'dashboard/{id}',
    name: 'A dashboard',
    scopes: ['dashboard:read'],
    reads: (id) => ({ '': `dashboards/${id}/` }),
    lists: { path: 'dashboards/', show: ({ id, name }) => [id, name] },
  },
  {
    path: 'insight/{short_id}',
    name: 'A saved insight',
    scopes: ['insight:read'],
    reads: (shortId) => ({ '': `insights/?limit=1&short_id=${shortId}` }),
    lists: {
      path: 'insights/',
      show: ({ short_id, name, derived_name }) => [short_id, name || (derived_name ?? short_id)],
    },
  },
  {
    path: 'experiment/{id}',
    name: 'Results of an experiment',
    scopes: ['experiment:read'],
    reads: (id) => ({ experiment: `experiments/${id}/`, results: `experiments/${id}/results/` }),
    lists: { path: 'experiments/', show: ({ id, name }) => [id, name] },
  },
];

const GUIDE = 'cairn://guide/';
const JSON_TYPE = 'application/json';

const isOpen = (has: readonly string[], { scopes }: Kind): boolean =>
  scopes.every((scope) => missingScope(has, [scope]) === null);

/** Of one project; at most a hundred of each kind. */
export async function listResources(
  { guides }: ResourceDeps,
  scopes: readonly string[],
  projectId: number | null,
  callRoute: CallRoute,
): Promise<JsonObject[]> {
  const listed: JsonObject[] = [];
  for (const kind of projectId === null ? [] : KINDS.filter((one) => isOpen(scopes, one))) {
    const base = `cairn://project/${projectId}/`;
    if (!kind.path.includes('{')) listed.push({ uri: base + kind.path, name: kind.name, mimeType: JSON_TYPE });
    if (!kind.lists) continue;
    const url = `/api/projects/${projectId}/${kind.lists.path}?limit=${MAX_LISTED}&basic=true`;
    const { body } = await callRoute({ method: 'GET', url });
    for (const item of resultsOf(body)) {
      const [id, name] = kind.lists.show(item);
      const uri = base + kind.path.replace(/\{\w+\}/, encodeURIComponent(String(id)));
      listed.push({ uri, name: String(tameTexts(name ?? String(id))), mimeType: JSON_TYPE });
    }
  }
  for (const name of guides.keys())
    listed.push({ uri: GUIDE + name, name: `Guide: ${name}`, mimeType: 'text/markdown' });
  return listed;
}

const resultsOf = (body: Json): JsonObject[] =>
  isJsonObject(body) && Array.isArray(body['results']) ? body['results'].filter(isJsonObject) : [];

export const listTemplates = (scopes: readonly string[]): JsonObject[] => [
  ...KINDS.filter((kind) => isOpen(scopes, kind)).map(({ path, name }) => ({
    uriTemplate: `cairn://project/{project_id}/${path}`,
    name,
    mimeType: JSON_TYPE,
  })),
  { uriTemplate: `${GUIDE}{name}`, name: 'A guide', mimeType: 'text/markdown' },
];

interface ResourceAddress {
  kind: Kind;
  projectId: number;
  item: string;
}

/** Null: no such kind of thing. */
export function readAddress(uri: string): ResourceAddress | null {
  const [, project = '', rest = ''] = /^cairn:\/\/project\/(\d{1,15})\/([^\s?#]{1,2000})$/.exec(uri) ?? [];
  const [name = '', item, ...more] = rest.split('/');
  const kind = KINDS.find(({ path }) => (item === undefined ? path === name : path.startsWith(`${name}/{`)));
  const decoded = item === undefined ? '' : decode(item);
  if (kind === undefined || more.length > 0 || decoded === null) return null;
  return { kind, projectId: Number(project), item: decoded };
}

function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return isPathStep(decoded) ? null : decoded;
  } catch {
    return null;
  }
}

/** Null: there is none, or the key may not read it; which of the two is not told. */
export async function readResource(
  deps: ResourceDeps,
  scopes: readonly string[],
  uri: string,
  callRoute: CallRoute,
): Promise<JsonObject | null> {
  if (uri.startsWith(GUIDE)) {
    const text = deps.guides.get(uri.slice(GUIDE.length));
    return text === undefined ? null : { contents: [{ uri, mimeType: 'text/markdown', text }] };
  }
  const address = readAddress(uri);
  if (address === null || !isOpen(scopes, address.kind)) return null;
  const body = await readItem(deps, address, callRoute);
  if (body === null) return null;
  const marked = markData(body, deps.newId());
  if (isTooLong(marked))
    return { contents: [{ uri, mimeType: 'text/plain', text: 'Too large: ask a tool for a part.' }] };
  const text = `Data from project ${address.projectId}. ${WARNING}\n${marked}`;
  return { contents: [{ uri, mimeType: 'text/plain', text }], _meta: { 'cairn/untrusted': true } };
}

async function readItem(
  deps: ResourceDeps,
  { kind, projectId, item }: ResourceAddress,
  callRoute: CallRoute,
): Promise<Json | null> {
  const id = kind.path === 'flag/{key}' ? String((await deps.findFlagId(projectId, item)) ?? 0) : item;
  const answers: JsonObject = {};
  for (const [name, path] of Object.entries(kind.reads(encodeURIComponent(id)))) {
    const { status, body } = await callRoute({ method: 'GET', url: `/api/projects/${projectId}/${path}` });
    if (status !== 200) return null;
    answers[name] = body;
  }
  const [whole] = [answers['']];
  if (whole === undefined) return answers;
  return kind.path === 'insight/{short_id}' ? (resultsOf(whole)[0] ?? null) : whole;
}
