/** Flags of a project as one file, and back: planned and applied by the same code, in one transaction or not at all. */
import type { Caller } from '../../access/callers.ts';
import { requireEditor } from '../../access/resources.ts';
import { cohortReferences } from '../../core/cohorts/cohort-criteria.ts';
import { reachableFrom } from '../../core/cohorts/references.ts';
import { Failure, invalid } from '../../core/errors.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { diffJson, type JsonDifference } from '../../core/json/json-diff.ts';
import { digest } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { ApprovalRequired, orAskForApproval } from '../approvals/require-approval.ts';
import { createCohort, updateCohort } from '../cohorts/cohorts.ts';
import { flagsTargeting } from '../cohorts/targeting-flags.ts';
import { createFlag, updateFlag } from '../flags/manage/flags.ts';
import { type ProjectContents, readProjectContents } from './project-contents.ts';
import { changedSincePlan, type PromotionDeps, toChanges } from './promote-flag.ts';
import { inReferenceOrder } from './rules/apply-order.ts';
import type { FlagFile } from './rules/flag-file.ts';
import { type PortableCohort, toPortableCohort } from './rules/portable-cohort.ts';
import { type PortableFlag, toPortableFlag } from './rules/portable-flag.ts';
import { namesToIds } from './rules/references.ts';
import { withinTransaction } from './within-transaction.ts';

export async function exportFlagFile(store: MetadataStore, projectId: number): Promise<FlagFile> {
  const contents = await readProjectContents(store, projectId);
  const references = cohortReferences(contents.cohorts);
  const used = contents.cohorts.filter(({ id }) => flagsTargeting(id, contents.flags, references).length > 0);
  const needed = reachableFrom(
    used.map(({ id }) => id),
    references,
  );
  const cohorts = contents.cohorts.filter(({ id }) => needed.has(id));
  return {
    cohorts: sortBy(
      cohorts.map((cohort) => toPortableCohort(cohort, contents.names)),
      ({ name }) => name,
    ),
    flags: sortBy(
      contents.flags.map((flag) => toPortableFlag(flag, contents.names)),
      ({ key }) => key,
    ),
  };
}

const sortBy = <T>(items: readonly T[], nameOf: (item: T) => string): T[] =>
  [...items].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));

interface FileChange {
  kind: 'cohort' | 'flag';
  name: string;
  action: 'create' | 'update' | 'delete';
  diff: JsonDifference[];
}

export interface FilePlan {
  changes: FileChange[];
  /** Flags of the project that the file does not have; they stay, unless they are pruned. */
  unlisted: string[];
  /** Flags whose change has to be approved: applying the file asks for it, and changes nothing. */
  needsApproval: string[];
  confirm: string;
}

interface FileOptions {
  /** Delete flags that the file does not have. They can be restored. */
  prune: boolean;
  /** The token of the plan to carry out; null: only plan. */
  confirm: string | null;
}

/** Ends the transaction of a plan: what would be written was written, with every check, and is taken back. */
class OnlyPlanned extends Error {
  readonly plan: FilePlan;

  constructor(plan: FilePlan) {
    super('only planned');
    this.plan = plan;
  }
}

/** What has to be approved, of all flags of a file: each gets a change request of its own. */
class Approvals {
  readonly keys: string[] = [];
  readonly #proposals: ApprovalRequired['proposals'][number][] = [];

  /** Null: the change has to wait. */
  async attempt<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApprovalRequired)) throw error;
      this.keys.push(key);
      this.#proposals.push(...error.proposals);
      return null;
    }
  }

  require(): void {
    if (this.#proposals.length > 0) throw new ApprovalRequired(this.#proposals);
  }
}

export async function applyFlagFile(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  file: FlagFile,
  { prune, confirm }: FileOptions,
): Promise<FilePlan> {
  try {
    const work = async (store: MetadataStore): Promise<FilePlan> => {
      await requireEditor(store, caller, project.organizationId, ['feature flags']);
      const joined = { ...deps, metadata: withinTransaction(store) };
      const approvals = new Approvals();
      const plan = await writeFile(joined, caller, project, file, prune, approvals);
      if (confirm === null) throw new OnlyPlanned(plan);
      if (confirm !== plan.confirm) throw changedSincePlan();
      approvals.require();
      return plan;
    };
    return await orAskForApproval(deps, () => deps.metadata.transaction(work));
  } catch (error) {
    if (error instanceof OnlyPlanned) return error.plan;
    throw error;
  } finally {
    // Once more after the commit, or after what was written for a plan is gone.
    deps.flagSnapshots.invalidate(project.id);
    deps.calculations.wake();
  }
}

async function writeFile(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  file: FlagFile,
  prune: boolean,
  approvals: Approvals,
): Promise<FilePlan> {
  const before = await readProjectContents(deps.metadata, project.id);
  requireReferences(file, before);
  const changes = await writeCohorts(deps, caller, project, file.cohorts, before);
  const contents = changes.length === 0 ? before : await readProjectContents(deps.metadata, project.id);
  changes.push(...(await writeFlags(deps, caller, project, file.flags, contents, approvals)));
  const listed = new Set(file.flags.map(({ key }) => key));
  const unlisted = before.flags.filter(({ key }) => !listed.has(key));
  if (prune) changes.push(...(await deleteFlags(deps, caller, project, unlisted, before, approvals)));
  const versions = before.flags.map(({ id, version }) => [id, version]);
  const confirm = digest(stringifyExact([project.id, changes, versions] as unknown as Json)).slice(0, 32);
  return {
    changes,
    unlisted: prune ? [] : unlisted.map(({ key }) => key).sort(),
    needsApproval: approvals.keys,
    confirm,
  };
}

/** Everything that is referred to has to be in the project or in the file. */
function requireReferences(file: FlagFile, contents: ProjectContents): void {
  const created = {
    cohort: new Set(file.cohorts.filter((cohort) => !cohort.is_static).map(({ name }) => name)),
    flag: new Set(file.flags.map(({ key }) => key)),
    action: new Set<string>(),
    group_type: new Set<string>(),
  };
  const all = [...file.cohorts, ...file.flags].flatMap(({ filters }) => namesToIds(filters, contents.ids).references);
  const missing = all.find(({ kind, name, found }) => found !== 1 && !(found === 0 && created[kind].has(name)));
  if (missing === undefined) return;
  const { kind, name, found } = missing;
  const problem = found > 1 ? `there are ${found} of this name` : 'it is not in the project';
  throw invalid('file', `Conditions refer to the ${kind.replace('_', ' ')} "${name}": ${problem}.`);
}

async function writeCohorts(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  cohorts: readonly PortableCohort[],
  contents: ProjectContents,
): Promise<FileChange[]> {
  const ids = { ...contents.ids, cohort: new Map(contents.ids.cohort) };
  const changes: FileChange[] = [];
  const named = (cohort: PortableCohort) => referencesOf(cohort.filters, contents, 'cohort');
  for (const cohort of inReferenceOrder(cohorts, ({ name }) => name, named)) {
    const { name, description, filters: portable, is_static: isStatic } = cohort;
    const existing = contents.cohorts.find((one) => one.name === name);
    // Its persons are not in the file.
    if (isStatic) continue;
    const diff = diffJson(existing ? toPortableCohort(existing, contents.names) : {}, cohort);
    if (diff.length === 0) continue;
    await requireEditor(deps.metadata, caller, project.organizationId, ['cohorts']);
    const filters = namesToIds(portable, ids).value as JsonObject;
    const written = await naming(`Cohort "${name}"`, () =>
      existing
        ? updateCohort(deps, caller, project, existing.id, { name, description, filters, isStatic: false }, null)
        : createCohort(deps, caller, project, { name, description, filters }, null),
    );
    ids.cohort.set(name, [written.id]);
    changes.push({ kind: 'cohort', name, action: existing ? 'update' : 'create', diff });
  }
  return changes;
}

const referencesOf = (filters: JsonObject, { ids }: ProjectContents, wanted: 'cohort' | 'flag'): string[] =>
  namesToIds(filters, ids).references.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));

/** Flags that others need are enabled before them, and disabled after them. */
async function writeFlags(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  flags: readonly PortableFlag[],
  contents: ProjectContents,
  approvals: Approvals,
): Promise<FileChange[]> {
  const ids = { ...contents.ids, flag: new Map(contents.ids.flag) };
  const stored = new Map(contents.flags.map((flag) => [flag.key, flag]));
  const ordered = inReferenceOrder(
    flags,
    ({ key }) => key,
    (flag) => referencesOf(flag.filters, contents, 'flag'),
  );
  const disables = ({ key, active }: PortableFlag): boolean => !active && stored.get(key)?.active === true;
  const inOrder = [...ordered.filter((flag) => !disables(flag)), ...ordered.filter(disables).reverse()];
  const changes: FileChange[] = [];
  for (const flag of inOrder) {
    const existing = stored.get(flag.key) ?? null;
    const diff = diffJson(existing ? toPortableFlag(existing, contents.names) : {}, flag);
    if (diff.length === 0) continue;
    const wanted = toChanges(flag, existing, { ...contents, ids }, []);
    const write = () =>
      existing ? updateFlag(deps, caller, project, existing.id, wanted) : createFlag(deps, caller, project, wanted);
    const written = await approvals.attempt(flag.key, () => naming(`Flag "${flag.key}"`, write));
    if (written) ids.flag.set(flag.key, [written.id]);
    changes.push({ kind: 'flag', name: flag.key, action: existing ? 'update' : 'create', diff });
  }
  return changes;
}

async function deleteFlags(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  flags: readonly FeatureFlag[],
  contents: ProjectContents,
  approvals: Approvals,
): Promise<FileChange[]> {
  const portable = flags.map((flag) => toPortableFlag(flag, contents.names));
  const ordered = inReferenceOrder(
    portable,
    ({ key }) => key,
    (flag) => referencesOf(flag.filters, contents, 'flag'),
  );
  const changes: FileChange[] = [];
  for (const { key } of ordered.reverse()) {
    const id = flags.find((flag) => flag.key === key)?.id ?? -1;
    const remove = () => updateFlag(deps, caller, project, id, { deleted: true });
    await approvals.attempt(key, () => naming(`Flag "${key}"`, remove));
    changes.push({ kind: 'flag', name: key, action: 'delete', diff: [] });
  }
  return changes;
}

/** An error says which flag or cohort of the file it is about. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
    throw invalid('file', `${name}: ${error.message}`, error.code);
  }
}
