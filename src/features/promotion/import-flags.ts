/** Imports flags of other products: what has equal values for everybody, and what was accepted to differ. */
import type { Caller } from '../../access/callers.ts';
import { invalid } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { applyFlagFile, type FilePlan } from './flag-files.ts';
import type { PromotionDeps } from './promote-flag.ts';
import { readFlagFile } from './rules/flag-file.ts';
import { convertFlags, type FlagImport, type ImportSource } from './rules/import/import-flags.ts';

interface ImportRequest {
  source: ImportSource;
  data: JsonObject;
  /** Of Unleash and LaunchDarkly. */
  environment: string;
  /** Keys of flags that may give some users another value. */
  accept: readonly string[];
  /** The token of the plan to carry out; null: only plan. */
  confirm: string | null;
}

export interface ImportOutcome extends Omit<FlagImport, 'equal' | 'differ'> {
  equal: string[];
  differ: { key: string; reason: string; accepted: boolean }[];
  plan: FilePlan;
}

/** One transaction; importing the same again changes nothing. Flags that are not in the data stay. */
export async function importFlags(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  { source, data, environment, accept, confirm }: ImportRequest,
): Promise<ImportOutcome> {
  const { total, equal, differ, notImported } = convertFlags(source, data, environment);
  const unknown = accept.find((key) => !differ.some(({ flag }) => flag.key === key));
  if (unknown !== undefined) throw invalid('accept', `"${unknown.slice(0, 100)}" is not among the flags that differ.`);
  const accepted = differ.filter(({ flag }) => accept.includes(flag.key)).map(({ flag }) => flag);
  const file = readFlagFile({ format: 1, cohorts: [], flags: [...equal, ...accepted] });
  return {
    total,
    equal: equal.map(({ key }) => key),
    differ: differ.map(({ flag, reason }) => ({ key: flag.key, reason, accepted: accept.includes(flag.key) })),
    notImported,
    plan: await applyFlagFile(deps, caller, project, file, { prune: false, confirm }),
  };
}
