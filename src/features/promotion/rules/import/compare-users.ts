/** How many users get another value if only the percentages of a flag are kept, with examples: for given users, or made ones. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { prepareFlags } from '../../../flags/rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../../../flags/rules/compile/prepared-flags.ts';
import { evaluate } from '../../../flags/rules/evaluate/evaluate.ts';
import { allProperties } from '../../../flags/rules/filters-shape.ts';
import type { FlagEvaluation } from '../../../flags/rules/flag-evaluation.ts';
import type { PortableFlag } from '../portable-flag.ts';
import { namesToIds } from '../references.ts';
import { edgeValues, isShortPreRelease, namedValues, typeInCondition, typeOfValue } from './edge-values.ts';
import type { ConvertedFlag } from './import-flags.ts';

export interface ComparedUser {
  distinctId: string;
  properties: JsonObject;
}

export interface UserComparison {
  users: number;
  changed: number;
  examples: (ComparedUser & { theirs: boolean | string; ours: boolean | string })[];
}

const MAX_EXAMPLES = 3;
const MADE_USERS = 2000;

/** Compares the flag as it was with its percentages only; null if it has no such form. */
export function compareUsers(
  converted: readonly ConvertedFlag[],
  { flag, percentages, dependsOn }: ConvertedFlag,
  given: readonly ComparedUser[] | null,
): UserComparison | null {
  const plain = percentages?.flag ?? null;
  if (plain === null) return null;
  const all = converted.map((one) => one.flag);
  const before = prepareConverted(all);
  const after = prepareConverted(all.map((one) => (one.key === flag.key ? plain : one)));
  const users =
    given ??
    makeUsers(
      all.filter(({ key }) => key === flag.key || dependsOn.includes(key)),
      MADE_USERS,
    );
  const result: UserComparison = { users: users.length, changed: 0, examples: [] };
  for (const user of users) {
    const [theirs, ours] = [valueFor(before, flag.key, user), valueFor(after, flag.key, user)];
    if (theirs === ours) continue;
    result.changed++;
    if (result.examples.length < MAX_EXAMPLES) result.examples.push({ ...user, theirs, ours });
  }
  return result;
}

export function prepareConverted(flags: readonly PortableFlag[]): PreparedFlags {
  const ids = {
    flag: new Map(flags.map(({ key }, at) => [key, [at + 1]])),
    cohort: new Map<string, number[]>(),
    action: new Map<string, number[]>(),
    group_type: new Map<string, number[]>(),
  };
  const definitions = flags.map(({ key, filters }, at) => ({
    id: at + 1,
    key,
    active: true,
    version: 1,
    filters: namesToIds(filters, ids).value,
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all' as const,
    bucketingIdentifier: 'distinct_id' as const,
  }));
  return prepareFlags({ flags: definitions, cohorts: [], groupTypes: new Map() });
}

const valueFor = (prepared: PreparedFlags, key: string, user: ComparedUser): boolean | string =>
  evaluateFor(prepared, key, user, 0)?.value ?? false;

export function evaluateFor(
  prepared: PreparedFlags,
  key: string,
  { distinctId, properties }: ComparedUser,
  now: number,
): FlagEvaluation | undefined {
  const subject = {
    distinctId,
    deviceId: null,
    properties,
    groups: new Map(),
    staticCohorts: new Set<number>(),
    overrides: new Map(),
    now,
  };
  return evaluate(prepared, subject, new Set([key]))[0];
}

/** Numbers below a limit, the same each time. */
function repeatableNumbers(): (limit: number) => number {
  let state = 1;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** With values that the conditions name, those beside them, or without them. The same each time. */
function makeUsers(flags: readonly PortableFlag[], count: number): ComparedUser[] {
  const conditions = conditionsByKey(flags);
  const below = repeatableNumbers();
  const oneOf = (values: readonly Json[]): Json | undefined => values[below(values.length + 1)];
  return Array.from({ length: count }, (_, at) =>
    userWith(
      at,
      [...conditions].map(([key, { near }]) => [key, oneOf(near)]),
    ),
  );
}

/**
 * Of every other user one property is at an edge of a condition: all edges in turn, while the user mostly meets the other
 * conditions. The rest have any of all edges.
 */
export function makeEdgeUsers(flags: readonly PortableFlag[], count: number): ComparedUser[] {
  const conditions = [...conditionsByKey(flags)];
  const edges = conditions.flatMap(([key, { edges: some }]) => some.map((value) => ({ key, value })));
  const below = repeatableNumbers();
  const oneOf = (values: readonly Json[]): Json | undefined => values[below(values.length + 1)];
  return Array.from({ length: count }, (_, at) => {
    const edge = at % 2 === 0 ? edges[(at / 2) % edges.length] : undefined;
    const values = conditions.map(([key, { near, edges: some }]): [string, Json | undefined] => {
      if (edge === undefined) return [key, oneOf(some)];
      return [key, key === edge.key ? edge.value : oneOf(near)];
    });
    return userWith(at, values);
  });
}

/** Each has one property of another type than its conditions compare, or null; all of these values in turn. */
export function makeUsersOfOtherTypes(flags: readonly PortableFlag[], count: number): ComparedUser[] {
  const conditions = [...conditionsByKey(flags)];
  const others = conditions.flatMap(([key, { otherTypes }]) => otherTypes.map((value) => ({ key, value })));
  const below = repeatableNumbers();
  return Array.from({ length: others.length === 0 ? 0 : count }, (_, at) => {
    const other = others[at % others.length];
    const values = conditions.map(([key, { near }]): [string, Json | undefined] => [
      key,
      key === other?.key ? other.value : near[below(near.length + 1)],
    ]);
    return userWith(at, values);
  });
}

function userWith(at: number, values: readonly (readonly [string, Json | undefined])[]): ComparedUser {
  const given = values.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
  const { distinct_id: named, ...properties } = Object.fromEntries(given);
  const isNamed = typeof named === 'string' && named !== '' && at % 2 === 0;
  return { distinctId: isNamed ? named : `user-${at}`, properties };
}

interface Candidates {
  /** What conditions name, and numbers beside it. */
  near: Json[];
  /** Of the types that conditions compare. */
  edges: Json[];
  /** Of other types, and versions that only some products read. */
  otherTypes: Json[];
}

const MAX_CANDIDATES = 300;

function conditionsByKey(flags: readonly PortableFlag[]): Map<string, Candidates> {
  const byKey = new Map<string, JsonObject[]>();
  for (const property of flags.flatMap(({ filters }) => allProperties(filters))) {
    const { key, type } = property;
    if (type !== 'flag' && typeof key === 'string') byKey.set(key, [...(byKey.get(key) ?? []), property]);
  }
  return new Map([...byKey].map(([key, conditions]) => [key, candidatesFor(conditions)]));
}

function candidatesFor(conditions: readonly JsonObject[]): Candidates {
  const types = new Set<unknown>(conditions.map(typeInCondition));
  const hasVersions = conditions.some(({ operator }) => String(operator).startsWith('semver_'));
  // The text of a number is a number to some products.
  const isCompared = (value: Json): boolean =>
    types.has(typeOfValue(value) ?? 'none') &&
    !(hasVersions && isShortPreRelease(value)) &&
    !(types.has('number') && Number.isFinite(Number(value)) && value !== Number(value));
  const values = unique(conditions.flatMap(edgeValues));
  const near = conditions
    .flatMap(namedValues)
    .flatMap((one): Json[] => (typeof one === 'number' ? [one - 1, one, one + 1] : [one]));
  return { near: unique(near), edges: values.filter(isCompared), otherTypes: values.filter((one) => !isCompared(one)) };
}

const unique = (values: readonly Json[]): Json[] => [...new Set(values)].slice(0, MAX_CANDIDATES);
