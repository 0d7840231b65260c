/** Makes the cohort with the same name in another project have the criteria that it has in this one. */
import type { Caller } from '../../access/callers.ts';
import { requireEditor } from '../../access/resources.ts';
import { cohortReferences } from '../../core/cohorts/cohort-criteria.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { diffJson, type JsonDifference } from '../../core/json/json-diff.ts';
import { digest } from '../../lib/secrets.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { createCohort, updateCohort } from '../cohorts/cohorts.ts';
import { flagsTargeting } from '../cohorts/targeting-flags.ts';
import { createCohortCopies, type MissingReference, planCohortCopies } from './copy-cohorts.ts';
import { readProjectContents, withCohorts } from './project-contents.ts';
import { changedSincePlan, missingReferences, type PromotionDeps } from './promote-flag.ts';
import { type PortableCohort, toPortableCohort } from './rules/portable-cohort.ts';
import { identityConditions, namesToIds, type Resolved } from './rules/references.ts';
import { withinTransaction } from './within-transaction.ts';

interface CohortPromotion {
  source: Project;
  target: Project;
  cohortId: number;
  copyCohorts: boolean;
}

interface CohortPromotionPlan {
  /** Null: it is created. */
  target: Cohort | null;
  after: PortableCohort;
  diff: JsonDifference[];
  references: Resolved['references'];
  missing: MissingReference[];
  copies: PortableCohort[];
  /** Flags there that target it, also through other cohorts: whom they reach changes. */
  flags: string[];
  notPortable: { key: string; value: Json }[];
  confirm: string | null;
}

export async function planCohortPromotion(
  store: MetadataStore,
  caller: Caller,
  { source, target, cohortId, copyCohorts }: CohortPromotion,
): Promise<CohortPromotionPlan> {
  await requireEditor(store, caller, source.organizationId, ['cohorts']);
  await requireEditor(store, caller, target.organizationId, ['cohorts']);
  const from = await readProjectContents(store, source.id);
  const to = await readProjectContents(store, target.id);
  const original = from.cohorts.find(({ id }) => id === cohortId);
  if (!original) throw notFound();
  if (original.isStatic)
    throw invalid('to', 'A static cohort is a list of persons, who are others in another project.');
  const [existing = null, ...others] = to.cohorts.filter(({ name }) => name === original.name);
  if (others.length > 0) throw invalid('to', `There are ${others.length + 1} cohorts called "${original.name}" there.`);
  if (existing?.isStatic) throw invalid('to', `The cohort "${original.name}" is static there.`);
  const after = toPortableCohort(original, from.names);
  const { references } = namesToIds(after.filters, to.ids);
  const { cohorts: copies, missing } = planCohortCopies(from, to, references, copyCohorts);
  const plan = {
    target: existing,
    after,
    diff: diffJson(existing === null ? {} : toPortableCohort(existing, to.names), after),
    references,
    missing,
    copies,
    flags: existing === null ? [] : keysOf(flagsTargeting(existing.id, to.flags, cohortReferences(to.cohorts))),
    notPortable: identityConditions(after.filters),
  };
  const shown = [source.id, target.id, cohortId, existing, after, references, copies];
  const confirm = missing.length > 0 ? null : digest(stringifyExact(shown as unknown as Json)).slice(0, 32);
  return { ...plan, confirm };
}

const keysOf = (flags: readonly { key: string }[]): string[] => flags.map(({ key }) => key).sort();

export async function promoteCohort(
  deps: PromotionDeps,
  caller: Caller,
  promotion: CohortPromotion,
  confirm: string,
): Promise<{ plan: CohortPromotionPlan; cohort: Cohort }> {
  const { target: project } = promotion;
  const done = await deps.metadata.transaction(async (store) => {
    const plan = await planCohortPromotion(store, caller, promotion);
    if (plan.missing.length > 0) throw missingReferences(plan.missing);
    if (plan.confirm !== confirm) throw changedSincePlan();
    const joined = { ...deps, metadata: withinTransaction(store) };
    const contents = await readProjectContents(store, project.id);
    const created = await createCohortCopies(joined, caller, project, contents, plan.copies);
    const filters = namesToIds(plan.after.filters, withCohorts(contents, created)).value as JsonObject;
    const { name, description } = plan.after;
    const changes = { name, description, filters };
    if (plan.target === null) return { plan, cohort: await createCohort(joined, caller, project, changes, null) };
    if (plan.diff.length === 0) return { plan, cohort: plan.target };
    return { plan, cohort: await updateCohort(joined, caller, project, plan.target.id, changes, null) };
  });
  deps.flagSnapshots.invalidate(project.id);
  deps.calculations.wake();
  return done;
}
