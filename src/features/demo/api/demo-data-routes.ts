import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { DemoDataSchema, presentDemoProgress } from './demo-data-schemas.ts';
import type { DemoApiDeps } from './deps.ts';

const DEMO = {
  url: '/api/projects/:project_id/demo_data/',
  tag: 'projects',
  scope: 'project',
  response: DemoDataSchema,
} as const;

export function demoDataRoutes(app: FastifyInstance, deps: DemoApiDeps): void {
  projectRoute(app, deps, {
    ...DEMO,
    method: 'GET',
    summary: 'Get the progress of loading or removing demo data',
    handler: async ({ project }) => presentDemoProgress(deps.demo.progress(project.id)),
  });
  projectRoute(app, deps, {
    ...DEMO,
    method: 'POST',
    edits: ['feature flags', 'cohorts', 'dashboards', 'insights', 'data management'],
    scope: ['project', 'feature_flag', 'cohort', 'dashboard', 'insight'],
    summary: 'Load demo data: two months of events, flags, a cohort and a dashboard',
    handler: async ({ caller, project }) => presentDemoProgress(deps.demo.start(caller, project)),
  });
  projectRoute(app, deps, {
    ...DEMO,
    method: 'DELETE',
    edits: ['feature flags', 'cohorts', 'dashboards', 'insights', 'data management'],
    scope: ['project', 'person', 'feature_flag', 'cohort', 'dashboard', 'insight'],
    summary: 'Remove demo data: its persons with their events, flags, experiments, cohort and dashboard',
    handler: async ({ caller, project }) => presentDemoProgress(deps.demo.remove(caller, project)),
  });
}
