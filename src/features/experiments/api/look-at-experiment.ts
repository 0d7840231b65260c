import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { calculateExperiment } from './experiment-results.ts';
import { presentWithFindings } from './keep-findings.ts';

/** Calculates the results, so that what is found is kept with its day although no one asked. */
export async function lookAtExperiment(deps: ExperimentApiDeps, experiment: Experiment): Promise<void> {
  const project = await deps.metadata.projects.get(experiment.projectId);
  if (!project) return;
  const calculated = await calculateExperiment(deps, project, new AbortController().signal, experiment);
  await presentWithFindings(deps, calculated);
}
