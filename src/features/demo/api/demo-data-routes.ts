import type { FastifyInstance } from 'fastify';
import { projectRoute } from '../../../http/api/route.ts';
import { DemoDataSchema, presentDemoProgress } from './demo-data-schemas.ts';
import type { DemoApiDeps } from './deps.ts';

const DEMO = { url: '/api/projects/:project_id/demo_data/', tag: 'projects', response: DemoDataSchema } as const;

export function demoDataRoutes(app: FastifyInstance, deps: DemoApiDeps): void {
  projectRoute(app, deps, {
    ...DEMO,
    method: 'GET',
    summary: 'How far the loading of demo data is',
    handler: async ({ project }) => presentDemoProgress(deps.demo.progress(project.id)),
  });
  projectRoute(app, deps, {
    ...DEMO,
    method: 'POST',
    summary: 'Load demo data: events of two months, flags, a cohort and a dashboard, all called demo',
    handler: async ({ caller, project }) => presentDemoProgress(deps.demo.start(caller, project)),
  });
}
