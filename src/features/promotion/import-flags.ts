/** Imports flags of other products: what has equal values for everybody, and what was chosen to keep people or percentages. */
import type { Caller } from '../../access/callers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { applyFlagFile, type FilePlan } from './flag-files.ts';
import { readProjectContents } from './project-contents.ts';
import type { PromotionDeps } from './promote-flag.ts';
import { readFlagFile } from './rules/flag-file.ts';
import { type ChosenFlags, chooseFlags, type DifferingFlag, type ImportChoice } from './rules/import/choose-flags.ts';
import { type ComparedUser, compareUsers, type UserComparison } from './rules/import/compare-users.ts';
import { type ConvertedFlag, type ConvertedFlags, convertFlags } from './rules/import/import-flags.ts';
import type { ImportSource } from './rules/import/import-source.ts';
import { resolveReferences } from './rules/import/resolve-references.ts';

interface ImportRequest extends ImportChoice {
  source: ImportSource;
  data: JsonObject;
  /** Of Unleash and LaunchDarkly. */
  environment: string;
  /** Flags whose values differ in a way that conversion does not know of, and how: left out, unless they are accepted. */
  differing: readonly ConvertedFlags['notImported'][number][];
  /** Whose values are compared; null: users are made. */
  users: ComparedUser[] | null;
  /** The token of the plan to carry out; null: only plan. */
  confirm: string | null;
}

interface FlagResult {
  key: string;
  /** Of the flag in the project; null: there is none. */
  id: number | null;
  outcome: 'equal' | 'kept' | 'accepted' | 'differs' | 'not_imported';
  /** What happens in the project; null: the flag is left out. */
  action: 'create' | 'update' | 'none' | null;
  canKeepPeople: boolean;
  canAccept: boolean;
}

export interface ImportOutcome extends Pick<ChosenFlags, 'equal' | 'kept'> {
  /** How many flags the data has. */
  total: number;
  /** Each of them. */
  results: FlagResult[];
  differ: (DifferingFlag & { compared: UserComparison | null })[];
  notImported: ConvertedFlags['notImported'];
  plan: FilePlan;
}

/** Comparing takes time; of more flags only the reason is told. */
const MAX_COMPARED_FLAGS = 50;

/** One transaction; importing the same again changes nothing. Flags that are not in the data stay. */
export async function importFlags(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  { source, data, environment, differing, users, confirm, ...choice }: ImportRequest,
): Promise<ImportOutcome> {
  const { cohorts, ...read } = convertFlags(source, data, environment, deps.clock.now());
  const leaveOut = differing.filter(({ key }) => !choice.accept.includes(key));
  const converted = read.converted.filter(({ flag }) => !leaveOut.some(({ key }) => key === flag.key));
  const notImported = [...read.notImported, ...leaveOut];
  const chosen = chooseFlags(converted, { ...choice, accept: choice.accept.filter(needsChoice(converted, differing)) });
  const { ids } = await readProjectContents(deps.metadata, project.id);
  const resolved = resolveReferences(chosen.flags, cohorts, ids);
  const file = readFlagFile({ format: 1, cohorts: resolved.cohorts, flags: resolved.flags });
  const plan = await applyFlagFile(deps, caller, project, file, { prune: false, confirm });
  const isResolved = (key: string): boolean => !resolved.missing.some((one) => one.key === key);
  const differs = acceptedDespite(differing, chosen);
  const isEqual = (key: string): boolean => isResolved(key) && !differs.some((one) => one.key === key);
  const compared = [...chosen.differ, ...differs]
    .filter(({ key }) => isResolved(key))
    .map((one, at) => {
      const original = converted.find(({ flag }) => flag.key === one.key);
      const isCompared = confirm === null && at < MAX_COMPARED_FLAGS && original !== undefined;
      return { ...one, compared: isCompared ? compareUsers(converted, original, users) : null };
    });
  const outcome = {
    total: converted.length + notImported.length,
    equal: chosen.equal.filter(isEqual),
    kept: chosen.kept.filter(isResolved),
    differ: compared,
    notImported: [...notImported, ...resolved.missing],
    plan,
  };
  const stored = await deps.metadata.flags.listByProject(project.id);
  return { ...outcome, results: resultsOf(outcome, chosen.options, new Map(stored.map(({ key, id }) => [key, id]))) };
}

/** A flag without percentages that differs is imported as it is. */
const needsChoice =
  (converted: readonly ConvertedFlag[], differing: ImportRequest['differing']) =>
  (accepted: string): boolean =>
    !differing.some(({ key }) => key === accepted) ||
    converted.some(({ flag, percentages }) => flag.key === accepted && percentages !== null);

/** Flags that are imported as they are, although their values were seen to differ. */
const acceptedDespite = (differing: ImportRequest['differing'], { equal, options }: ChosenFlags): DifferingFlag[] =>
  differing.flatMap(({ key, why }) => {
    const option = options.get(key);
    return option && equal.includes(key) ? [{ key, reason: why, accepted: true, ...option }] : [];
  });

function resultsOf(
  { equal, kept, differ, notImported, plan }: Omit<ImportOutcome, 'results'>,
  options: ChosenFlags['options'],
  ids: ReadonlyMap<string, number>,
): FlagResult[] {
  const actions = new Map(plan.changes.flatMap(({ kind, name, action }) => (kind === 'flag' ? [[name, action]] : [])));
  const resultOf = (key: string, outcome: FlagResult['outcome']): FlagResult => {
    const { canKeepPeople = false, canAccept = false } = options.get(key) ?? {};
    const isLeftOut = outcome === 'differs' || outcome === 'not_imported';
    const action = isLeftOut ? null : ((actions.get(key) ?? 'none') as FlagResult['action']);
    return { key, id: ids.get(key) ?? null, outcome, action, canKeepPeople, canAccept };
  };
  return [
    ...equal.map((key) => resultOf(key, 'equal')),
    ...kept.map((key) => resultOf(key, 'kept')),
    ...differ.map(({ key, accepted }) => resultOf(key, accepted ? 'accepted' : 'differs')),
    ...notImported.map(({ key }) => resultOf(key, 'not_imported')),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
}
