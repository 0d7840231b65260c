/** Flag definitions as parts that can be sent one by one: every flag, every cohort that a flag refers to, and the rest. */
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { DefinitionChanges, DefinitionParts } from './definition-history.ts';
import { allProperties } from './filters-shape.ts';
import type { CohortDefinition, FlagDefinition } from './flag.ts';
import { cohortTree, criteriaIn, isCohortProperty, referencedCohortId } from './local-evaluation/cohort-tree.ts';

/** A flag as it is evaluated, with what `/flags/definitions` and OFREP say about it besides. */
interface StreamedFlag extends Omit<FlagDefinition, 'hasExperiment'> {
  name: string;
  filters: JsonObject;
  isRemoteConfiguration: boolean;
  hasExperiment: boolean;
  createdAt: number;
}

interface StreamedProject {
  id: number;
  apiToken: string;
  /** Whether requests are evaluated with the place of their address. */
  hasPlaces: boolean;
}

interface StreamedDefinitions {
  project: StreamedProject;
  flags: readonly StreamedFlag[];
  cohorts: readonly CohortDefinition[];
  /** Index → name. */
  groupTypes: ReadonlyMap<number, string>;
}

const FLAG = 'flag ';
const COHORT = 'cohort ';
const PROJECT = 'project';
const GROUP_TYPES = 'group_type_mapping';

export function definitionParts({ project, flags, cohorts, groupTypes }: StreamedDefinitions): DefinitionParts {
  const parts = new Map<string, string>();
  parts.set(PROJECT, stringifyExact({ id: project.id, api_token: project.apiToken, geoip: project.hasPlaces }));
  parts.set(GROUP_TYPES, stringifyExact(Object.fromEntries(groupTypes)));
  for (const flag of flags) parts.set(FLAG + flag.key, stringifyExact(presentFlag(flag)));
  for (const { id, isStatic, filters, groups } of referencedCohorts(flags, cohorts)) {
    parts.set(COHORT + id, stringifyExact({ is_static: isStatic, filters, groups }));
  }
  return parts;
}

const presentFlag = (flag: StreamedFlag): object => ({
  id: flag.id,
  key: flag.key,
  name: flag.name,
  active: flag.active,
  version: flag.version,
  filters: flag.filters,
  ensure_experience_continuity: flag.ensureExperienceContinuity,
  evaluation_runtime: flag.evaluationRuntime,
  bucketing_identifier: flag.bucketingIdentifier,
  is_remote_configuration: flag.isRemoteConfiguration,
  has_experiment: flag.hasExperiment,
  created_at: flag.createdAt,
});

/** With those that other cohorts refer to; static ones without their members. */
function referencedCohorts(
  flags: readonly StreamedFlag[],
  cohorts: readonly CohortDefinition[],
): Iterable<CohortDefinition> {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  const found = new Map<number, CohortDefinition>();
  const visit = (properties: readonly JsonObject[]): void => {
    for (const id of properties.filter(isCohortProperty).map(referencedCohortId)) {
      const cohort = id === null ? undefined : byId.get(id);
      if (cohort === undefined || found.has(cohort.id)) continue;
      found.set(cohort.id, cohort);
      const tree = cohort.isStatic ? null : cohortTree(cohort);
      if (tree !== null) visit(criteriaIn(tree));
    }
  };
  for (const { filters } of flags) visit(allProperties(filters));
  return found.values();
}

/** The members of a JSON object: `put`, `drop`, `cohorts` (null: gone) and what else has changed. */
export function presentChanges({ put, drop }: DefinitionChanges): string {
  const flags: string[] = [];
  const cohorts: string[] = [];
  const rest: string[] = [];
  for (const [name, text] of put) {
    if (name.startsWith(FLAG)) flags.push(text);
    else if (name.startsWith(COHORT)) cohorts.push(`${JSON.stringify(name.slice(COHORT.length))}:${text}`);
    else rest.push(`,"${name}":${text}`);
  }
  for (const name of drop) if (name.startsWith(COHORT)) cohorts.push(`"${name.slice(COHORT.length)}":null`);
  const gone = drop.filter((name) => name.startsWith(FLAG)).map((name) => name.slice(FLAG.length));
  return `"put":[${flags.join()}],"drop":${JSON.stringify(gone)},"cohorts":{${cohorts.join()}}${rest.join('')}`;
}
