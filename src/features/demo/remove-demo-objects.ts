/** Deletes what the demo created beside events: experiments, flags, the cohort, the dashboard and its insights, clubs. */
import type { Caller } from '../../access/callers.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { updateCohort } from '../cohorts/cohorts.ts';
import { updateDashboard } from '../dashboards/dashboards.ts';
import { updateSavedInsight } from '../dashboards/saved-insights.ts';
import { updateExperiment } from '../experiments/manage/update-experiment.ts';
import { updateFlag } from '../flags/manage/flags.ts';
import { COHORT_NAME, DASHBOARD_NAME, type DemoObjectsDeps, EXPERIMENTS, FLAGS, INSIGHTS } from './demo-objects.ts';
import { DEMO_CLUBS, demoClub } from './rules/demo-visitor.ts';

const DELETED = { deleted: true };
const FIRST_THOUSAND = { limit: 1000, offset: 0 };

/** Found by their names, as they are created. Each is a change of its own, so it can be repeated after a crash. */
export async function removeDemoObjects(deps: DemoObjectsDeps, caller: Caller, project: Project): Promise<void> {
  const { metadata } = deps;
  const named = <T extends { name: string | null }>(all: readonly T[], names: readonly string[]): T[] =>
    all.filter(({ name }) => name !== null && names.includes(name));
  const experiments = await metadata.experiments.listByProject(project.id);
  const ours = named(
    experiments,
    EXPERIMENTS.map(({ name }) => name),
  );
  for (const { id } of ours) await updateExperiment(deps, caller, project, id, { changes: DELETED });
  const keys = FLAGS.map(({ key }) => key);
  const flags = await metadata.flags.listByProject(project.id);
  for (const { id, key } of flags) {
    if (keys.includes(key)) await updateFlag(deps, caller, project, id, { ...DELETED, active: false });
  }
  for (const { id } of named(await metadata.cohorts.listByProject(project.id), [COHORT_NAME])) {
    await updateCohort(deps, caller, project, id, DELETED, null);
  }
  const dashboards = await metadata.dashboards.list(project.id, FIRST_THOUSAND);
  const insights = await insightsOn(deps, project, named(dashboards.items, [DASHBOARD_NAME]));
  for (const { id } of named(
    insights,
    INSIGHTS.map(({ name }) => name),
  )) {
    await updateSavedInsight(deps, caller, project, id, DELETED);
  }
  for (const { id } of named(dashboards.items, [DASHBOARD_NAME])) {
    await updateDashboard(deps, caller, project, id, DELETED);
  }
  await metadata.groups.delete(
    project.id,
    Array.from({ length: DEMO_CLUBS }, (_, index) => demoClub(index)),
  );
}

/** Insights of the same name elsewhere are somebody's own. */
async function insightsOn({ metadata }: DemoObjectsDeps, project: Project, dashboards: readonly { id: number }[]) {
  const tiles = (await Promise.all(dashboards.map(({ id }) => metadata.dashboards.listTiles(id)))).flat();
  const ids = tiles.flatMap(({ insightId }) => insightId ?? []);
  return metadata.insights.listByIds(project.id, ids);
}
