import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import { flagBlastRadiusRoutes } from './api/blast-radius-routes.ts';
import { definitionStreamRoutes } from './api/definition-stream-routes.ts';
import { definitionsAccess } from './api/definitions-access.ts';
import type { FlagRouteDeps } from './api/deps.ts';
import { flagEvaluationRoutes } from './api/flag-evaluation-routes.ts';
import { flagHistoryRoutes } from './api/flag-history-routes.ts';
import { flagLookupRoutes } from './api/flag-lookup-routes.ts';
import { flagRoleAccessRoutes } from './api/flag-role-access-routes.ts';
import { featureFlagRoutes } from './api/flag-routes.ts';
import { flagUsageRoutes } from './api/flag-usage-routes.ts';
import { localEvaluationRoutes } from './api/local-evaluation-routes.ts';
import { rehashRoutes } from './api/rehash-routes.ts';
import { relayUsageRoutes } from './api/relay-usage-routes.ts';
import { type RollbackDeps, Rollbacks } from './manage/rollbacks.ts';
import { DECIDE_ROUTE, decideRoutes } from './public/decide-routes.ts';
import type { FlagPublicDeps } from './public/deps.ts';
import { FLAGS_ROUTE, flagsRoutes } from './public/flags-routes.ts';
import { ofrepRoutes } from './public/ofrep/ofrep-routes.ts';
import { ofrepStreamRoutes } from './public/ofrep/ofrep-stream-routes.ts';
import { definitionVersionStore } from './store/definition-version-store.ts';
import { flagUsageStore } from './store/flag-usage-store.ts';
import { foldUsageTask } from './usage/fold-usage.ts';

interface FlagFeatureDeps extends FlagRouteDeps, Omit<FlagPublicDeps, 'config' | 'directory'> {
  config: FlagRouteDeps['config'] & FlagPublicDeps['config'];
  directory: FlagPublicDeps['directory'];
  log: Logger;
  /** Measures the metric of a rollback condition. */
  countEvents: RollbackDeps['measure'];
}

export const flagsFeature: Feature<FlagFeatureDeps> = {
  name: 'flags',
  api(app, deps) {
    featureFlagRoutes(app, deps);
    const reading = { ...deps, accessDefinitions: (request: FastifyRequest) => definitionsAccess(deps, request) };
    localEvaluationRoutes(app, reading);
    definitionStreamRoutes(app, reading);
    relayUsageRoutes(app, reading);
    flagEvaluationRoutes(app, deps);
    flagBlastRadiusRoutes(app, deps);
    rehashRoutes(app, deps);
    flagRoleAccessRoutes(app, deps);
    flagHistoryRoutes(app, deps);
    flagLookupRoutes(app, deps);
    flagUsageRoutes(app, deps);
  },
  public(app, deps) {
    decideRoutes(app, deps);
    flagsRoutes(app, deps);
    ofrepRoutes(app, deps);
    ofrepStreamRoutes(app, deps);
  },
  stores: { flagUsage: flagUsageStore, definitionVersions: definitionVersionStore },
  projectTables: ['flagUsage', 'flagDefinitionVersions'],
  fastRoutes: [DECIDE_ROUTE, FLAGS_ROUTE],
  leaderTasks: (deps) => [new Rollbacks({ ...deps, measure: deps.countEvents, logger: deps.log }), foldUsageTask(deps)],
};
