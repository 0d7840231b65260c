/** How many users get another value if only the percentages of a flag are kept, with examples: for given users, or made ones. */
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import { prepareFlags } from '../../../flags/rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../../../flags/rules/compile/prepared-flags.ts';
import { evaluate } from '../../../flags/rules/evaluate/evaluate.ts';
import { allProperties } from '../../../flags/rules/filters-shape.ts';
import type { FlagEvaluation } from '../../../flags/rules/flag-evaluation.ts';
import type { PortableFlag } from '../portable-flag.ts';
import { namesToIds } from '../references.ts';
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

/** With values that the conditions name, their neighbours, and without them. The same each time. */
export function makeUsers(flags: readonly PortableFlag[], count: number): ComparedUser[] {
  const candidates = new Map<string, Json[]>();
  for (const property of flags.flatMap(({ filters }) => allProperties(filters))) {
    const { key, type } = property;
    if (type === 'flag' || typeof key !== 'string') continue;
    candidates.set(key, [...(candidates.get(key) ?? []), ...valuesNear(property)].slice(0, 100));
  }
  let state = 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: count }, (_, at) => {
    const chosen = [...candidates].flatMap(([key, values]): [string, Json][] => {
      const value = values[below(values.length + 1)];
      return value === undefined ? [] : [[key, value]];
    });
    const { distinct_id: named, ...properties } = Object.fromEntries(chosen);
    return { distinctId: named === undefined || at % 2 === 0 ? `user-${at}` : String(named), properties };
  });
}

function valuesNear({ operator, value }: JsonObject): Json[] {
  if (typeof value === 'number') return [value - 1, value, value + 1];
  if (Array.isArray(value)) return value.flatMap((one): Json[] => (typeof one === 'number' ? [one, one + 1] : [one]));
  if (operator !== 'regex' && operator !== 'not_regex') return typeof value === 'string' ? [value] : [];
  const [, choice] = /\(\?:(.*)\)\$?$/s.exec(String(value)) ?? [];
  return choice === undefined ? [] : choice.split('|').map((text) => text.replace(/\\(.)/g, '$1'));
}
