/**
 * Makes the flag with the same key in another project say what it says in this one. First planned, then done by the
 * token of the plan: if a flag or a cohort has changed in between, the token is no longer the plan's.
 */
import { type Caller, hasProject, requireKeyScopes } from '../../access/callers.ts';
import { getFlagPermissions } from '../../access/flag-permissions.ts';
import { requireEditor } from '../../access/resources.ts';
import { Failure, forbidden, invalid } from '../../core/errors.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts';
import { diffJson, type JsonDifference } from '../../core/json/json-diff.ts';
import { digest } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { FeatureFlag } from '../../stores/metadata/flags.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { ApprovalRequired, orAskForApproval } from '../approvals/require-approval.ts';
import type { CohortDeps } from '../cohorts/cohorts.ts';
import type { FlagChanges } from '../flags/manage/flag-fields.ts';
import { createFlag, type FlagDeps, getFlag, updateFlag } from '../flags/manage/flags.ts';
import { createCohortCopies, type MissingReference, planCohortCopies, previewCohorts } from './copy-cohorts.ts';
import { type ProjectContents, readProjectContents, withCohorts } from './project-contents.ts';
import type { PortableCohort } from './rules/portable-cohort.ts';
import { type FlagPart, holdoutOf, type PortableFlag, takeParts, toPortableFlag } from './rules/portable-flag.ts';
import { identityConditions, namesToIds, type Resolved } from './rules/references.ts';
import { withinTransaction } from './within-transaction.ts';

export type PromotionDeps = FlagDeps & CohortDeps;

interface FlagPromotion {
  source: Project;
  target: Project;
  flagId: number;
  parts: readonly FlagPart[];
  copyCohorts: boolean;
}

export interface FlagPromotionPlan {
  source: FeatureFlag;
  /** Null: it is created. */
  target: FeatureFlag | null;
  after: PortableFlag;
  /** As it would be stored; cohorts to be copied have ids that nothing has yet. */
  changes: FlagChanges & { key: string; filters: JsonObject };
  diff: JsonDifference[];
  references: Resolved['references'];
  missing: MissingReference[];
  copies: PortableCohort[];
  /** The copies, with the ids that `changes` refers to. */
  previews: Cohort[];
  notPortable: { key: string; value: Json }[];
  /** Null: it cannot be done. */
  confirm: string | null;
}

/** The project that something is promoted to; it has to be another one that the caller can see. */
export async function targetProject(
  metadata: MetadataStore,
  caller: Caller,
  source: Project,
  id: number,
): Promise<Project> {
  if (id === source.id) throw invalid('to', 'It is in this project already: choose another project.');
  const project = await metadata.projects.get(id);
  if (project && hasProject(caller, project)) return project;
  throw invalid('to', `There is no project ${id} that you can use.`, 'does_not_exist');
}

/** Whoever may not edit a flag may not promote it either: checked first, so that they learn nothing of the other project. */
export async function requirePromotable(
  store: MetadataStore,
  caller: Caller,
  source: Project,
  flagId: number,
): Promise<void> {
  const flag = await getFlag(store, source.id, flagId);
  const { canEdit } = await getFlagPermissions(store, caller, source.organizationId);
  if (!canEdit(flag)) throw notEditable();
}

const notEditable = (): Failure => forbidden("You don't have edit permissions for this feature flag.");

export async function planFlagPromotion(
  store: MetadataStore,
  caller: Caller,
  promotion: FlagPromotion,
): Promise<FlagPromotionPlan> {
  const from = await readProjectContents(store, promotion.source.id);
  const to = await readProjectContents(store, promotion.target.id);
  const source = from.flags.find(({ id }) => id === promotion.flagId);
  if (!source) throw new Failure('not_found', 'Not found.');
  const target = to.flags.find(({ key }) => key === source.key) ?? null;
  await requireRights(store, caller, promotion, source, target);
  const before = target && toPortableFlag(target, to.names);
  const after = takeParts(toPortableFlag(source, from.names), before, promotion.parts);
  const { references } = namesToIds(after.filters, to.ids);
  const { cohorts: copies, missing } = planCohortCopies(from, to, references, promotion.copyCohorts);
  const previews = previewCohorts(copies, to);
  const plan = {
    source,
    target,
    after,
    changes: { ...toChanges(after, target, to, previews), promotedFrom: linkTo(promotion, source) },
    diff: diffJson(before ?? {}, after),
    references,
    missing,
    copies,
    previews,
    notPortable: identityConditions(after.filters),
  };
  return { ...plan, confirm: missing.length > 0 ? null : confirmationOf(promotion, plan) };
}

const linkTo = ({ source }: FlagPromotion, { id, version }: FeatureFlag) => ({ project: source.id, flag: id, version });

/** Both flags have to be the caller's to change; a new one needs the right to create flags, and copies that for cohorts. */
async function requireRights(
  store: MetadataStore,
  caller: Caller,
  { source: from, target: to, copyCohorts }: FlagPromotion,
  source: FeatureFlag,
  target: FeatureFlag | null,
): Promise<void> {
  const there = await getFlagPermissions(store, caller, to.organizationId);
  const here = await getFlagPermissions(store, caller, from.organizationId);
  if (!here.canEdit(source) || (target && !there.canEdit(target))) throw notEditable();
  if (!target) await requireEditor(store, caller, to.organizationId, ['feature flags']);
  if (!copyCohorts) return;
  requireKeyScopes(caller, ['cohort:write']);
  await requireEditor(store, caller, to.organizationId, ['cohorts']);
}

/** The names of a portable flag as ids of the project; the holdout stays the one of the project. */
export function toChanges(
  flag: PortableFlag,
  target: FeatureFlag | null,
  contents: ProjectContents,
  cohorts: readonly Pick<Cohort, 'id' | 'name'>[],
): FlagChanges & { key: string; filters: JsonObject } {
  const { value } = namesToIds(flag.filters, withCohorts(contents, cohorts));
  return {
    key: flag.key,
    name: flag.name,
    active: flag.active,
    filters: { ...withProperties(value as JsonObject), ...holdoutOf(target?.filters ?? {}) },
    tags: flag.tags,
    ensureExperienceContinuity: flag.ensure_experience_continuity,
    evaluationRuntime: flag.evaluation_runtime,
    bucketingIdentifier: flag.bucketing_identifier,
    isRemoteConfiguration: flag.is_remote_configuration,
    rollbackConditions: flag.rollback_conditions,
  };
}

/** Some SDKs that evaluate flags themselves expect a list of properties in every group. */
const withProperties = (filters: JsonObject): JsonObject => ({
  ...filters,
  groups: (Array.isArray(filters['groups']) ? filters['groups'] : []).map((group) =>
    isJsonObject(group) ? { properties: [], ...group } : group,
  ),
});

/** Everything that the caller was shown and that decides what happens. It is no secret: rights are checked again. */
function confirmationOf(promotion: FlagPromotion, plan: Omit<FlagPromotionPlan, 'confirm'>): string {
  const { source, target, changes, copies } = plan;
  const versions = [source.id, source.version, target?.id ?? null, target?.version ?? null];
  const shown = [promotion.source.id, promotion.target.id, [...promotion.parts].sort(), versions, changes, copies];
  return digest(stringifyExact(shown as unknown as Json)).slice(0, 32);
}

export async function promoteFlag(
  deps: PromotionDeps,
  caller: Caller,
  promotion: FlagPromotion,
  confirm: string,
): Promise<{ plan: FlagPromotionPlan; flag: FeatureFlag }> {
  const promote = async (store: MetadataStore) => {
    const plan = await planFlagPromotion(store, caller, promotion);
    requireConfirmed(plan, confirm);
    const joined = { ...deps, metadata: withinTransaction(store) };
    const contents = await readProjectContents(store, promotion.target.id);
    const created = await createCohortCopies(joined, caller, promotion.target, contents, plan.copies);
    const flag = await writeFlag(joined, caller, promotion.target, plan, contents, created).catch((error: unknown) => {
      // The copies are undone, so a change that refers to them could not be made when it is approved.
      throw error instanceof ApprovalRequired && created.length > 0 ? cohortsFirst() : error;
    });
    return { plan, flag };
  };
  const done = await orAskForApproval(deps, () => deps.metadata.transaction(promote));
  // Once more after the commit: what was read meanwhile may be what was before it.
  deps.flagSnapshots.invalidate(promotion.target.id);
  deps.calculations.wake();
  return done;
}

const cohortsFirst = (): Failure =>
  new Failure('conflict', 'This change needs approval. Promote the cohorts that are missing first, then the flag.', {
    attr: 'copy_cohorts',
    code: 'approval_required',
  });

async function writeFlag(
  deps: PromotionDeps,
  caller: Caller,
  project: Project,
  { after, target, changes: { promotedFrom = null }, diff }: FlagPromotionPlan,
  contents: ProjectContents,
  created: readonly Cohort[],
): Promise<FeatureFlag> {
  const changes = { ...toChanges(after, target, contents, created), promotedFrom };
  if (target === null) return createFlag(deps, caller, project, changes);
  return diff.length === 0 ? target : updateFlag(deps, caller, project, target.id, changes);
}

function requireConfirmed({ confirm: expected, missing }: FlagPromotionPlan, given: string): void {
  if (missing.length > 0) throw missingReferences(missing);
  if (given !== expected) throw changedSincePlan();
}

export const changedSincePlan = (): Failure =>
  new Failure('conflict', 'Something has changed since this was planned: ask again with dry_run.', { attr: 'confirm' });

export function missingReferences(missing: readonly MissingReference[]): Failure {
  const named = missing.map(({ kind, name, reason }) => `${kind.replace('_', ' ')} "${name}": ${reason}`).join(' ');
  return invalid(missing.every(({ kind }) => kind === 'cohort') ? 'copy_cohorts' : 'to', `Missing there: ${named}`);
}
