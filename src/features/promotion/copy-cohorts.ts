/** Copies cohorts that conditions refer to into another project, those that they refer to first. */
import type { Caller } from '../../access/callers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import { type CohortDeps, createCohort } from '../cohorts/cohorts.ts';
import { type ProjectContents, withCohorts } from './project-contents.ts';
import { type PortableCohort, toPortableCohort } from './rules/portable-cohort.ts';
import { namesToIds, type Resolved } from './rules/references.ts';

export interface MissingReference {
  kind: Resolved['references'][number]['kind'];
  name: string;
  /** Why there is no match that could be used. */
  reason: string;
}

interface CohortCopies {
  /** In the order in which they have to be created. */
  cohorts: PortableCohort[];
  /** What cannot be found or copied. */
  missing: MissingReference[];
}

type References = Resolved['references'];

/** `copies` false: nothing may be copied, so each cohort without a match is missing. */
export function planCohortCopies(
  source: ProjectContents,
  target: ProjectContents,
  references: References,
  copies: boolean,
): CohortCopies {
  const plan: CohortCopies = { cohorts: [], missing: [] };
  for (const reference of references) addReference(plan, source, target, reference, copies, []);
  return plan;
}

function addReference(
  plan: CohortCopies,
  source: ProjectContents,
  target: ProjectContents,
  { kind, name, id, found }: References[number],
  copies: boolean,
  path: readonly string[],
): void {
  if (id !== null || plan.cohorts.some((cohort) => kind === 'cohort' && cohort.name === name)) return;
  const original = kind === 'cohort' && found === 0 && copies ? originalOf(source, name) : undefined;
  if (original === undefined || original.isStatic || path.includes(name)) {
    plan.missing.push({ kind, name, reason: reasonOf(kind, found, copies, original) });
    return;
  }
  const cohort = toPortableCohort(original, source.names);
  const { references } = namesToIds(cohort.filters, target.ids);
  for (const inner of references) addReference(plan, source, target, inner, copies, [...path, name]);
  plan.cohorts.push(cohort);
}

/** The only one with this name: with two of them, it would be a guess. */
function originalOf({ cohorts }: ProjectContents, name: string): Cohort | undefined {
  const [one, ...others] = cohorts.filter((cohort) => cohort.name === name);
  return others.length === 0 ? one : undefined;
}

function reasonOf(kind: string, found: number, copies: boolean, original: Cohort | undefined): string {
  if (found > 1) return `There are ${found} of this name.`;
  if (original?.isStatic) return 'It is a list of persons, which cannot be copied.';
  if (kind === 'cohort' && !copies) return 'There is none of this name; it can be copied.';
  return kind === 'group_type' ? 'No event has named this group type yet.' : 'There is none of this name.';
}

/** Ids of cohorts that do not exist yet, for previews: no store gives out such ids. */
const PREVIEW_ID = Number.MAX_SAFE_INTEGER;

export const previewCohorts = (cohorts: readonly PortableCohort[], contents: ProjectContents): Cohort[] => {
  const named = cohorts.map(({ name }, at) => ({ id: PREVIEW_ID - at, name }));
  const ids = withCohorts(contents, named);
  return cohorts.map(({ name, description, filters }, at) => ({
    id: PREVIEW_ID - at,
    projectId: contents.projectId,
    name,
    description,
    filters: namesToIds(filters, ids).value as JsonObject,
    groups: [],
    isStatic: false,
    deleted: false,
    isCalculating: false,
    lastCalculation: null,
    errorsCalculating: 0,
    count: null,
    version: 1,
    createdAt: 0,
    createdBy: null,
  }));
};

export async function createCohortCopies(
  deps: CohortDeps,
  caller: Caller,
  project: Project,
  contents: ProjectContents,
  cohorts: readonly PortableCohort[],
): Promise<Cohort[]> {
  const created: Cohort[] = [];
  for (const { name, description, filters } of cohorts) {
    const resolved = namesToIds(filters, withCohorts(contents, created)).value as JsonObject;
    created.push(await createCohort(deps, caller, project, { name, description, filters: resolved }, null));
  }
  return created;
}
