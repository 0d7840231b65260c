/** A static cohort of those who count in an experiment now; made again, it gets those who came since. */
import type { Caller } from '../../../access/callers.ts';
import { Failure, invalid } from '../../../core/errors.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import { type CohortDeps, createCohort, updateCohort } from '../../cohorts/cohorts.ts';
import { findNamedPersons } from '../../cohorts/find-named-persons.ts';
import type { Experiment } from '../store/experiment-store.ts';
import { byCaller, type ExperimentDeps, getExperiment, saveExperiment } from './experiments.ts';

/** `persons` are uuids. */
export async function saveExposureCohort(
  deps: ExperimentDeps & CohortDeps,
  caller: Caller,
  project: Project,
  { id, name, startDate }: Experiment,
  persons: AsyncIterable<string>,
): Promise<Cohort> {
  if (startDate === null) throw invalid(undefined, 'Experiment has not been launched yet.');
  const members = await findNamedPersons(deps.metadata.cohortMembers, project.id, persons);
  const known = await knownCohort(deps, project, id);
  if (known !== null) return updateCohort(deps, caller, project, known.id, {}, members);
  const fields = { name: `Exposed to ${name}`.slice(0, 400), description: `Those who count in experiment ${id}.` };
  const cohort = await createCohort(deps, caller, project, { ...fields, isStatic: true }, members);
  // The cohort is made first: after a crash in between there is one more, which nothing refers to.
  await deps.metadata.transaction(async (store) => {
    const before = await getExperiment(store, project.id, id);
    if (before.settings['exposure_cohort'] !== undefined)
      throw new Failure('conflict', 'The cohort of this experiment was made by another request just now.');
    const settings = { ...before.settings, exposure_cohort: cohort.id };
    await saveExperiment(deps, store, byCaller(caller), project, before, { ...before, settings });
  });
  return cohort;
}

async function knownCohort({ metadata }: CohortDeps, project: Project, id: number): Promise<Cohort | null> {
  const { exposure_cohort: cohortId } = (await getExperiment(metadata, project.id, id)).settings;
  const known = typeof cohortId === 'number' ? await metadata.cohorts.get(project.id, cohortId) : null;
  return known === null || known.deleted ? null : known;
}
