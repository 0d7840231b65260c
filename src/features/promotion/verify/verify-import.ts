/** Proof that imported flags have equal values: each is evaluated for many users here, and by the other product's SDK. */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { FlagEvaluation } from '../../flags/rules/flag-evaluation.ts';
import {
  type ComparedUser,
  evaluateFor,
  makeEdgeUsers,
  makeUsersOfOtherTypes,
  prepareConverted,
} from '../rules/import/compare-users.ts';
import { type ConvertedFlag, type ConvertedFlags, convertFlags } from '../rules/import/import-flags.ts';
import type { ImportSource } from '../rules/import/import-source.ts';
import { isVariant, openEvaluator, type VendorEvaluator, type VendorValue } from './vendor-evaluators.ts';

interface VerifyRequest {
  source: ImportSource;
  data: JsonObject;
  environment: string;
  /** Null: made for each flag, with the edges of its conditions. */
  users: readonly ComparedUser[] | null;
  now: number;
}

interface Difference {
  key: string;
  reason: string;
  examples: { context: ComparedUser; theirs: unknown; ours: unknown }[];
}

export interface ImportProof {
  /** The package that evaluated their flags. */
  evaluator: string;
  flags: number;
  /** Keys of flags that gave everybody the same value. */
  equal: string[];
  differ: Difference[];
  /**
   * Flags that are equal, but not for users with values that their conditions do not compare: a text where they compare
   * numbers, null, a version such as `2-alpha`. Here a number and its text are the same.
   */
  otherTypes: Difference[];
  notImported: ConvertedFlags['notImported'];
  /** How many users each flag was evaluated for. */
  users: number;
}

const MADE_USERS = 10_000;
const USERS_OF_OTHER_TYPES = 1000;
const MAX_EXAMPLES = 3;

/** Flags are taken with their people; whether percentages alone are imported is chosen elsewhere. */
export async function verifyImport({ source, data, environment, users, now }: VerifyRequest): Promise<ImportProof> {
  const { converted, notImported } = convertFlags(source, data, environment, now);
  const evaluator = await openEvaluator(source, data, environment, now);
  const proof: ImportProof = {
    evaluator: evaluator.name,
    flags: converted.length + notImported.length,
    equal: [],
    differ: [],
    otherTypes: [],
    notImported,
    users: users?.length ?? MADE_USERS,
  };
  try {
    const all = converted.map(({ flag }) => flag);
    const prepared = prepareConverted(all);
    for (const one of converted) {
      const related = all.filter(({ key }) => key === one.flag.key || one.dependsOn.includes(key));
      const valueFor = (user: ComparedUser) => evaluateFor(prepared, one.flag.key, user, now);
      const difference = (some: readonly ComparedUser[]) => compare(evaluator, one, some, valueFor);
      const found = await difference(users ?? makeEdgeUsers(related, MADE_USERS));
      if (found !== null) {
        proof.differ.push(found);
        continue;
      }
      proof.equal.push(one.flag.key);
      const odd = users === null ? await difference(makeUsersOfOtherTypes(related, USERS_OF_OTHER_TYPES)) : null;
      if (odd !== null) proof.otherTypes.push(odd);
    }
  } finally {
    await evaluator.close();
  }
  return proof;
}

async function compare(
  evaluator: VendorEvaluator,
  { flag }: ConvertedFlag,
  users: readonly ComparedUser[],
  valueFor: (user: ComparedUser) => FlagEvaluation | undefined,
): Promise<Difference | null> {
  const hasPayloads = flag.filters['payloads'] !== undefined;
  let differing = 0;
  const examples: Difference['examples'] = [];
  for (const user of users) {
    const theirs = await evaluator.evaluate(flag.key, user);
    const ours = valueLike(theirs, valueFor(user), hasPayloads);
    if (JSON.stringify(theirs) === JSON.stringify(ours)) continue;
    differing++;
    if (examples.length < MAX_EXAMPLES) examples.push({ context: user, theirs: shown(theirs), ours: shown(ours) });
  }
  if (differing === 0) return null;
  const reason = `${differing} of ${users.length} users get another value from ${evaluator.name}`;
  return { key: flag.key, reason, examples };
}

/** Values that are neither boolean nor text are payloads of variants here. */
function valueLike(theirs: VendorValue, ours: FlagEvaluation | undefined, hasPayloads: boolean): VendorValue {
  const { value = false } = ours ?? {};
  const payload = (ours?.payload ?? null) as Json;
  if (isVariant(theirs)) return { variant: value, payload };
  return { value: hasPayloads ? payload : value };
}

const shown = (value: VendorValue): unknown => {
  if (!isVariant(value)) return value.value ?? null;
  return value.payload === null ? value.variant : value;
};
