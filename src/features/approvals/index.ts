import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import { changeRequestRoutes } from './api/change-request-routes.ts';
import type { ApprovalRouteDeps } from './api/deps.ts';
import { approvalPolicyRoutes } from './api/policy-routes.ts';
import { expireRequestsTask } from './change-requests.ts';
import { approvalPolicyStore, changeRequestStore } from './store/approval-store.ts';

export const approvalsFeature: Feature<ApprovalRouteDeps & { log: Logger }> = {
  name: 'approvals',
  api(app, deps) {
    approvalPolicyRoutes(app, deps);
    changeRequestRoutes(app, deps);
  },
  stores: { approvalPolicies: approvalPolicyStore, changeRequests: changeRequestStore },
  projectTables: ['approvalPolicies', 'changeRequests', 'changeRequestVotes'],
  leaderTasks: (deps) => [expireRequestsTask(deps)],
};
