/** Creates the flags, the experiments, the cohort and the dashboard of the demo, if they do not exist. */

import type { Caller } from '../../access/callers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { DAY_MS } from '../../core/time/units.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { type CohortDeps, createCohort } from '../cohorts/cohorts.ts';
import { createDashboard } from '../dashboards/dashboards.ts';
import { createSavedInsight } from '../dashboards/saved-insights.ts';
import { createExperiment, type ExperimentDeps } from '../experiments/manage/experiments.ts';
import { createFlag } from '../flags/manage/flags.ts';
import { DEMO_FLAG } from './rules/demo-visitor.ts';

export type DemoObjectsDeps = CohortDeps & ExperimentDeps;

const TAGS = ['demo'];
const PRO = { key: 'plan', value: 'pro', operator: 'exact', type: 'person' };

export const FLAGS: readonly { key: string; name: string; filters: JsonObject }[] = [
  {
    key: DEMO_FLAG,
    name: 'Demo: the new planner, for half of the hikers',
    filters: {
      groups: [{ properties: [], rollout_percentage: 100 }],
      multivariate: {
        variants: [
          { key: 'control', name: 'As it was', rollout_percentage: 50 },
          { key: 'test', name: 'The new planner', rollout_percentage: 50 },
        ],
      },
      payloads: { test: '{"layout": "wide"}' },
    },
  },
  {
    key: 'demo-offline-maps',
    name: 'Demo: maps without a network, for those who pay',
    filters: { groups: [{ properties: [PRO], rollout_percentage: 80 }] },
  },
];

const PLANNED: JsonObject = {
  uuid: '0d0a1f6c-5b1e-4a53-9f0e-3c1d5f2b7a01',
  metric_type: 'funnel',
  name: 'hikers who plan a hike',
  goal: 'increase',
  series: [{ kind: 'EventsNode', event: 'hike planned' }],
};
const KILOMETRES: JsonObject = {
  uuid: '0d0a1f6c-5b1e-4a53-9f0e-3c1d5f2b7a02',
  metric_type: 'mean',
  name: 'kilometres planned',
  goal: 'increase',
  source: { kind: 'EventsNode', event: 'hike planned', math: 'sum', math_property: 'kilometres' },
};

/** From so many days ago to so many days ago; null: it is running. */
export const EXPERIMENTS = [
  { name: 'Demo: does the new planner get more hikes planned?', from: 45, until: 20, conclusion: 'inconclusive' },
  { name: 'Demo: and with the wide layout?', from: 19, until: null, conclusion: null },
] as const;

export const COHORT_NAME = 'Demo: hikers who pay';
export const DASHBOARD_NAME = 'Demo: how the planner does';

const event = (id: string, more: JsonObject = {}): JsonObject => ({ id, name: id, type: 'events', order: 0, ...more });
const steps = (...names: string[]): JsonObject[] => names.map((name, order) => event(name, { order }));

export const INSIGHTS: readonly { name: string; filters: JsonObject }[] = [
  {
    name: 'Hikers a day',
    filters: {
      insight: 'TRENDS',
      date_from: '-30d',
      interval: 'day',
      events: [event('hike planned', { math: 'dau' })],
    },
  },
  {
    name: 'From a first look to a plan',
    filters: { insight: 'FUNNELS', date_from: '-30d', events: steps('$pageview', 'signed up', 'hike planned') },
  },
  {
    name: 'Who comes back',
    filters: {
      insight: 'RETENTION',
      period: 'Week',
      total_intervals: 8,
      target_entity: event('hike planned'),
      returning_entity: event('hike planned'),
    },
  },
  {
    name: 'Visits by browser',
    filters: {
      insight: 'TRENDS',
      date_from: '-30d',
      events: [event('$pageview')],
      breakdown: '$browser',
      breakdown_type: 'event',
    },
  },
];

export async function createDemoObjects(deps: DemoObjectsDeps, caller: Caller, project: Project): Promise<void> {
  const { metadata } = deps;
  const keys = new Set((await metadata.flags.listByProject(project.id)).map(({ key }) => key));
  for (const flag of FLAGS) {
    if (!keys.has(flag.key)) await createFlag(deps, caller, project, { ...flag, active: true, tags: TAGS });
  }
  await createDemoExperiments(deps, caller, project);
  const cohorts = await metadata.cohorts.listByProject(project.id);
  if (!cohorts.some(({ name }) => name === COHORT_NAME)) {
    const filters = { properties: { type: 'AND', values: [PRO] } };
    await createCohort(deps, caller, project, { name: COHORT_NAME, filters }, null);
  }
  await createDemoDashboard(deps, caller, project);
}

async function createDemoExperiments(deps: DemoObjectsDeps, caller: Caller, project: Project): Promise<void> {
  const names = new Set((await deps.metadata.experiments.listByProject(project.id)).map(({ name }) => name));
  const now = deps.clock.now();
  for (const { name, from, until, conclusion } of EXPERIMENTS) {
    if (names.has(name)) continue;
    await createExperiment(deps, caller, project, {
      name,
      flagKey: DEMO_FLAG,
      description: 'The new planner shows the map and the list side by side, so planning takes fewer steps.',
      settings: {
        metrics: [PLANNED],
        metrics_secondary: [KILOMETRES],
        plan: { mde_relative: 0.2, planned_users: 600, min_days: 14 },
        ...(conclusion === null ? {} : { conclusion }),
      },
      startDate: now - from * DAY_MS,
      endDate: until === null ? null : now - until * DAY_MS,
    });
  }
}

async function createDemoDashboard(deps: DemoObjectsDeps, caller: Caller, project: Project): Promise<void> {
  const { items } = await deps.metadata.dashboards.list(project.id, { limit: 1000, offset: 0 });
  if (items.some(({ name }) => name === DASHBOARD_NAME)) return;
  const dashboard = await createDashboard(deps, caller, project, { name: DASHBOARD_NAME, pinned: true, tags: TAGS });
  for (const insight of INSIGHTS) {
    const kept = { ...insight, saved: true, tags: TAGS, dashboards: [dashboard.id] };
    await createSavedInsight(deps, caller, project, kept);
  }
}
