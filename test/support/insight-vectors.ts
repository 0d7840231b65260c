/**
 * Cases of insights as data (kept outside of the repository): a small world, one request, and what must hold in the
 * answer. Whoever answers, the oracle or a server, is held against them by `problemsOf`.
 */
import type { Json, JsonObject } from '../../src/core/json/json.ts';
import { readVectors } from './vectors.ts';

export const INSIGHT_CASES = 'insight-cases.json';

interface CaseEvent {
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: JsonObject;
  /** The clicked elements, as they are stored. */
  elements?: JsonObject[];
}

/** Elements as clients send them. */
export const sentElements = (elements: readonly JsonObject[]): JsonObject[] =>
  elements.map(({ tag_name, text, href, attr_class, attr_id, nth_child, nth_of_type, attributes }) => {
    const named = { tag_name, $el_text: text, attr__href: href, attr__class: attr_class, attr__id: attr_id };
    const all = { ...(attributes as JsonObject | undefined), ...named, nth_child, nth_of_type };
    const sent = Object.entries(all).filter((entry): entry is [string, Json] => entry[1] !== undefined);
    return Object.fromEntries(sent);
  });

/** The properties of an event as a client sends them. */
export const sentProperties = ({ properties, elements }: CaseEvent): JsonObject =>
  elements === undefined ? properties : { ...properties, $elements: sentElements(elements) };

export interface CasePerson {
  distinct_ids: string[];
  properties: JsonObject;
  created_at: string;
}

export interface CaseCohort {
  id: number;
  name: string;
  groups: { properties?: Json }[];
  static_distinct_ids?: string[];
}

export interface CaseGroup {
  group_type?: string;
  group_type_index: number;
  group_key?: string;
  properties?: JsonObject;
}

interface Expectation {
  path: string;
  op: string;
  value: Json;
  delta?: number;
}

export interface InsightCase {
  id: string;
  family: string;
  now: string;
  timezone: string;
  endpoint: string;
  filter: JsonObject;
  events: CaseEvent[];
  persons: CasePerson[];
  actions?: { id: number; name: string; steps: JsonObject[] }[];
  cohorts?: CaseCohort[];
  groups?: CaseGroup[];
  team?: { test_account_filters?: Json; path_cleaning_filters?: { alias: string; regex: string }[] };
  expected_root: string;
  expected: Expectation[];
  /** For funnel trends: the counts behind the percentages, which responses do not have. */
  expected_rows?: Expectation[];
}

/** None where there is no file: for suites that `describeVectors` then skips. */
export const loadInsightCases = (families: readonly string[]): InsightCase[] =>
  (readVectors<{ cases: InsightCase[] }>(INSIGHT_CASES)?.cases ?? []).filter(({ family }) => families.includes(family));

export interface CaseAnswer {
  status: number;
  body: Json;
}

/** The ids of a distinct id's person: a number in some responses, a uuid in others. */
export type PersonIds = (distinctId: string) => readonly Json[];

/** The expectations that a response does not meet. */
export function problemsOf(one: InsightCase, answer: CaseAnswer, personIds: PersonIds): string[] {
  const ordered = { ...answer, body: withPlainNames(one, inExpectedOrder(one, answer.body)) };
  return one.expected.flatMap((expectation) => {
    const wanted = resolveReferences(expectation.value, personIds);
    if (expectation.op === 'error') return answer.status === 400 ? [] : [`status ${answer.status} instead of 400`];
    const found = valueAt(ordered, one.expected_root, expectation.path);
    if (holds(expectation, found, wanted)) return [];
    return [`${expectation.path} ${expectation.op}: ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`];
  });
}

/**
 * The wire does not say in which order the parts of a divided funnel or formula come: they are put into the order in
 * which the case names them.
 */
function inExpectedOrder(one: InsightCase, body: Json): Json {
  const isFree = one.filter['breakdown'] !== undefined || one.filter['breakdowns'] !== undefined;
  const result = (body as { result?: Json } | null)?.result;
  if (!isFree || !Array.isArray(result) || (one.family !== 'funnel' && one.filter['formula'] === undefined))
    return body;
  const names = one.expected.flatMap(({ path, value }) => namesIn(path, value));
  const placeOf = (item: Json): number => {
    const [own] = namesIn('[0]', item);
    const at = names.findIndex(({ name }) => name === own?.name);
    return at < 0 ? names.length : (names[at]?.place ?? 0);
  };
  return { ...(body as JsonObject), result: result.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** Which part is named where: `[1][0].breakdown_value`, `[1].label`, or whole parts. */
function namesIn(path: string, value: Json): { place: number; name: string }[] {
  const [, place, field] = /^(?:result)?\[(\d+)\](?:\[\d+\])?(?:\.(\w+))?$/.exec(path) ?? [];
  if (place === undefined) return [];
  const part = Array.isArray(value) ? value[0] : value;
  const { breakdown_value: own, label } = typeof part === 'object' && part !== null ? (part as JsonObject) : {};
  const name = NAMES.has(field ?? '') ? value : (own ?? label);
  return name === undefined ? [] : [{ place: Number(place), name: JSON.stringify(name) }];
}

const NAMES = new Set(['breakdown_value', 'breakdown', 'breakdowns', 'label']);

/** Cases name a correlated event by its name; on the wire it is an object that holds the name. */
function withPlainNames(one: InsightCase, body: Json): Json {
  const result = (body as { result?: { events?: Json } } | null)?.result;
  if (one.family !== 'correlation' || !Array.isArray(result?.events)) return body;
  const events = (result.events as JsonObject[]).map((item) => {
    const named = item['event'] as JsonObject | string;
    return { ...item, event: typeof named === 'string' ? named : (named['event'] ?? null) };
  });
  return { ...(body as JsonObject), result: { ...(result as JsonObject), events } };
}

/** What stands for `person:<distinct id>`: any of the ids of that person. */
const ANY_OF = '$any_of';

function resolveReferences(value: Json, personIds: PersonIds): Json {
  if (typeof value === 'string' && value.startsWith('person:')) {
    return { [ANY_OF]: [...personIds(value.slice('person:'.length))] };
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, personIds));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, personIds)]));
}

/** Dots and brackets; `len(p)`, `sum(p)` and `round(p,n)` are functions of what is at p. */
function valueAt(answer: CaseAnswer, root: string, path: string): Json | undefined {
  if (path === '@status') return answer.status;
  const [, name, inner] = /^(len|sum|round)\((.*)\)$/.exec(path) ?? [];
  if (name === undefined || inner === undefined) return walk(answer.body, [...stepsOf(root), ...stepsOf(path)]);
  const [at = '', digits = '0'] = name === 'round' ? inner.split(',') : [inner];
  const value = valueAt(answer, root, at);
  if (name === 'len') return Array.isArray(value) ? value.length : undefined;
  if (name === 'sum') return Array.isArray(value) ? value.reduce((a: number, b) => a + Number(b), 0) : undefined;
  return Number(Number(value).toFixed(Number(digits)));
}

const stepsOf = (path: string): string[] => (path === 'body' ? [] : (path.match(/[^.[\]]+/g) ?? []));

function walk(value: Json | undefined, [step, ...rest]: string[]): Json | undefined {
  if (step === undefined || value === undefined || value === null) return value;
  if (!Array.isArray(value)) return walk((value as JsonObject)[step], rest);
  if (step === '*') return value.map((item) => walk(item, rest) ?? null);
  if (step.includes('=')) {
    const [key = '', wanted] = step.split('=');
    return walk(
      value.find((item) => (item as JsonObject)[key] === wanted),
      rest,
    );
  }
  if (step.includes(':')) {
    const [from = '', to = ''] = step.split(':');
    return walk(value.slice(Number(from), to === '' ? undefined : Number(to)), rest);
  }
  return walk(value.at(Number(step)), rest);
}

function holds({ op, delta = 0 }: Expectation, found: Json | undefined, wanted: Json): boolean {
  switch (op) {
    case 'equals':
    case 'superset_of':
    case 'equals_ignoring_urls':
      return covers(found, wanted);
    case 'same_items':
      return sameItems(found, wanted);
    case 'approx':
      return Math.abs(Number(found) - Number(wanted)) <= delta;
    case 'in':
      return (wanted as Json[]).some((one) => covers(found, one));
    case 'contains':
      return typeof found === 'string' ? found.includes(String(wanted)) : (found as Json[]).includes(wanted);
    case 'not_contains':
      return typeof found === 'string' ? !found.includes(String(wanted)) : !(found as Json[]).includes(wanted);
    case 'not_equals':
      return !covers(found, wanted);
    case 'gt':
      return Number(found) > Number(wanted);
    case 'truthy':
      return Boolean(found);
    default:
      throw new Error(`unknown comparison: ${op}`);
  }
}

/** Deep equality; objects may have more fields than are wanted. */
function covers(found: Json | undefined, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) && found.length === wanted.length && wanted.every((item, at) => covers(found[at], item))
    );
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const ids = wanted[ANY_OF];
    if (Array.isArray(ids)) return ids.some((id) => id === found);
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
    return Object.entries(wanted).every(([key, item]) => covers(found[key], item));
  }
  // The same time may be formatted in two ways.
  if (typeof wanted === 'string' && typeof found === 'string' && MOMENT.test(wanted) && MOMENT.test(found)) {
    return Date.parse(wanted) === Date.parse(found);
  }
  return found === wanted;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function sameItems(found: Json | undefined, wanted: Json): boolean {
  if (!Array.isArray(found) || !Array.isArray(wanted) || found.length !== wanted.length) return false;
  const rest = [...found];
  return wanted.every((item) => {
    const at = rest.findIndex((one) => covers(one, item));
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}
