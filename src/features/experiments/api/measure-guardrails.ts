import type { MeasuredGuardrails } from '../guard/guardrails.ts';
import { flagVariants } from '../rules/flag-variants.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { askExperiment, calculateAsked } from './experiment-results.ts';

/** The guardrails of a running experiment, without its metrics; null while it is paused or cannot be measured. */
export async function measureGuardrails(
  deps: ExperimentApiDeps,
  experiment: Experiment,
): Promise<MeasuredGuardrails | null> {
  const { projectId, flagId, startDate } = experiment;
  const project = await deps.metadata.projects.get(projectId);
  const flag = await deps.metadata.flags.get(projectId, flagId);
  if (!project || !flag || flag.deleted || !flag.active || startDate === null) return null;
  const since = Math.max(startDate, flag.activeSince);
  const asked = await askExperiment(deps, project, { ...experiment, startDate: since });
  const metrics = asked.metrics.filter(({ metric }) => metric.role === 'guardrail');
  const { results } = await calculateAsked(deps, project, new AbortController().signal, { ...asked, metrics });
  const live = flagVariants(flag.filters).flatMap(({ key, weight }) => (weight > 0 ? [key] : []));
  const pausesOnSplit = experiment.settings['pause_on_split'] === true;
  return { results, live, pausesOnSplit, flagVersion: flag.version, baselineKey: asked.settings.baselineKey };
}
