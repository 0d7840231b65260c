/** Flags of a project as a file, and flags promoted to another project, by operators. */
import { Failure, invalid } from '../core/errors.ts';
import { isJsonObject } from '../core/json/json.ts';
import { diffJson, type JsonDifference } from '../core/json/json-diff.ts';
import type { Impact } from '../features/flags/decide/blast-radius.ts';
import { flagStatus } from '../features/flags/manage/flag-status.ts';
import { rehashFlag } from '../features/flags/manage/rehash-flag.ts';
import { applyFlagFile, exportFlagFile, type FilePlan } from '../features/promotion/flag-files.ts';
import { type ImportOutcome, importFlags } from '../features/promotion/import-flags.ts';
import { measurePromotion } from '../features/promotion/measure-promotion.ts';
import { type FlagPromotionPlan, planFlagPromotion, promoteFlag } from '../features/promotion/promote-flag.ts';
import { readFlagFile, writeFlagFile } from '../features/promotion/rules/flag-file.ts';
import { generateFlagSchema, generateFlagTypes } from '../features/promotion/rules/flag-types.ts';
import type { ImportSource } from '../features/promotion/rules/import/import-source.ts';
import { FLAG_PARTS, type FlagPart } from '../features/promotion/rules/portable-flag.ts';
import type { FeatureFlag } from '../stores/metadata/flags.ts';
import { chosenProject, ownerOf } from './lookups.ts';
import type { Operation } from './operation.ts';
import { parseJsonFile } from './parse-json-file.ts';

export const exportFlags: Operation<{ project: number | null }, { text: string; flags: number }> = async (
  { metadata },
  { project: id },
) => {
  const project = await chosenProject(metadata, id);
  const file = await exportFlagFile(metadata, project.id);
  return { text: writeFlagFile(file), flags: file.flags.length };
};

interface FileToApply {
  project: number | null;
  text: string;
  prune: boolean;
  /** Null: only plan. */
  confirm: string | null;
}

export const applyFlags: Operation<FileToApply, FilePlan> = async (deps, { project: id, text, prune, confirm }) => {
  const project = await chosenProject(deps.metadata, id);
  const caller = await ownerOf(deps.metadata, project.organizationId);
  return applyFlagFile(deps, caller, project, readFlagFile(parseJsonFile('file', text)), { prune, confirm });
};

interface FlagsToImport {
  project: number | null;
  source: ImportSource;
  text: string;
  environment: string;
  accept: readonly string[];
  /** Keys of flags that keep their people; true: all. */
  keepPeople: readonly string[] | true;
  /** Flags whose values differ, and how: left out, unless they are accepted. */
  differing: readonly { key: string; why: string }[];
  /** Null: only plan. */
  confirm: string | null;
}

export const importVendorFlags: Operation<FlagsToImport, ImportOutcome> = async (
  deps,
  { project: id, text, ...asked },
) => {
  const project = await chosenProject(deps.metadata, id);
  const caller = await ownerOf(deps.metadata, project.organizationId);
  const data = parseJsonFile('file', text);
  if (!isJsonObject(data)) throw invalid('data', 'The file is no JSON object.');
  return importFlags(deps, caller, project, { ...asked, data, users: null });
};

interface KeyToPromote {
  flag: string;
  from: number;
  to: number;
  /** Empty: all. */
  parts: readonly string[];
  copyCohorts: boolean;
  confirm: string | null;
}

type PromotionOutcome = Pick<FlagPromotionPlan, 'diff' | 'missing' | 'confirm' | 'notPortable'> & {
  copies: string[];
  isNew: boolean;
  /** How many users get another value there; null if it cannot be done, or was. */
  changed: number | null;
  total: number;
};

export const promoteFlagByKey: Operation<KeyToPromote, PromotionOutcome> = async (deps, asked) => {
  const source = await chosenProject(deps.metadata, asked.from);
  const target = await chosenProject(deps.metadata, asked.to);
  if (source.id === target.id) throw invalid('to', 'Choose another project to promote to.');
  const flag = await deps.metadata.flags.getByKey(source.id, asked.flag);
  if (!flag) throw new Failure('not_found', `There is no flag "${asked.flag}" in project ${source.id}.`);
  const caller = await ownerOf(deps.metadata, source.organizationId);
  const other = await ownerOf(deps.metadata, target.organizationId);
  const memberships = [...caller.memberships, ...other.memberships];
  const parts = FLAG_PARTS.filter((part) => asked.parts.length === 0 || asked.parts.includes(part));
  const promotion = { source, target, flagId: flag.id, parts: parts as FlagPart[], copyCohorts: asked.copyCohorts };
  const by = { ...other, memberships };
  const plan =
    asked.confirm === null
      ? await planFlagPromotion(deps.metadata, by, promotion)
      : (await promoteFlag(deps, by, promotion, asked.confirm)).plan;
  const { diff, missing, confirm, notPortable } = plan;
  const isPlan = asked.confirm === null && missing.length === 0;
  const impact = isPlan
    ? await measurePromotion({ ...deps, flagSnapshots: deps.decide.flagSnapshots }, target.id, plan, 0)
    : null;
  return {
    diff,
    missing,
    confirm,
    notPortable,
    copies: plan.copies.map(({ name }) => name),
    isNew: plan.target === null,
    changed: impact?.changed ?? null,
    total: impact?.total ?? 0,
  };
};

interface KeyToRehash {
  project: number | null;
  flag: string;
  /** Of the plan to carry out; null: only plan. */
  version: number | null;
}

interface RehashedFlag {
  version: number;
  diff: JsonDifference[];
  changed: number;
  total: number;
  changes: Impact['changes'];
}

export const rehashFlagByKey: Operation<KeyToRehash, RehashedFlag> = async (
  deps,
  { project: id, flag: key, version },
) => {
  const project = await chosenProject(deps.metadata, id);
  const flag = await deps.metadata.flags.getByKey(project.id, key);
  if (!flag) throw new Failure('not_found', `There is no flag "${key}" in project ${project.id}.`);
  const caller = await ownerOf(deps.metadata, project.organizationId);
  const flagSnapshots = {
    get: (projectId: number) => deps.decide.flagSnapshots.get(projectId),
    invalidate: (projectId: number) => deps.flagSnapshots.invalidate(projectId),
  };
  const { impact, ...rehashed } = await rehashFlag({ ...deps, flagSnapshots }, caller, project, flag, version);
  const { changed, total, changes } = impact;
  const diff = diffJson({ filters: flag.filters }, { filters: rehashed.filters });
  return { version: rehashed.version, diff, changed, total, changes };
};

interface FlagKeyState {
  key: string;
  state: 'active' | 'stale' | 'deleted';
}

interface TypesToWrite {
  project: number | null;
  /** Types for TypeScript, or a JSON Schema. */
  format: 'ts' | 'json';
}

/** Types of flags, and the keys that code may ask for. */
export const typeFlags: Operation<TypesToWrite, { text: string; keys: FlagKeyState[] }> = async (
  deps,
  { project: id, format },
) => {
  const project = await chosenProject(deps.metadata, id);
  const flags = await deps.metadata.flags.listByProject(project.id);
  const uses = await deps.flagLastUses.find(project.id);
  const now = deps.clock.now();
  const isStale = (flag: FeatureFlag): boolean => flagStatus(flag, uses, now).status === 'STALE';
  const stale = new Set(flags.filter(isStale).map(({ key }) => key));
  const file = await exportFlagFile(deps.metadata, project.id);
  const version = await deps.metadata.definitionVersions.get(project.id);
  const current = new Set(flags.map(({ key }) => key));
  const deleted = (await deps.metadata.flags.listDeleted(project.id)).filter(({ key }) => !current.has(key));
  return {
    text: (format === 'json' ? generateFlagSchema : generateFlagTypes)(file.flags, { version, stale }),
    keys: [
      ...file.flags.map(({ key }) => ({ key, state: stale.has(key) ? ('stale' as const) : ('active' as const) })),
      ...deleted.map(({ key }) => ({ key, state: 'deleted' as const })),
    ],
  };
};
