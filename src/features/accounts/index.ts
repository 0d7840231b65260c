import type { Feature } from '../feature.ts';
import type { AccountRouteDeps } from './api/deps.ts';
import { inviteRoutes } from './api/invite-routes.ts';
import { memberRoutes } from './api/member-routes.ts';
import { organizationRoutes } from './api/organization-routes.ts';
import { personalKeyRoutes } from './api/personal-key-routes.ts';
import { projectRoutes } from './api/project-routes.ts';
import { resourceAccessRoutes } from './api/resource-access-routes.ts';
import { roleRoutes } from './api/role-routes.ts';
import { sessionRoutes } from './api/session-routes.ts';
import { userRoutes } from './api/user-routes.ts';

export const accountsFeature: Feature<AccountRouteDeps> = {
  name: 'accounts',
  api(app, deps) {
    sessionRoutes(app, deps);
    userRoutes(app, deps);
    personalKeyRoutes(app, deps);
    organizationRoutes(app, deps);
    memberRoutes(app, deps);
    inviteRoutes(app, deps);
    roleRoutes(app, deps);
    resourceAccessRoutes(app, deps);
    projectRoutes(app, deps);
  },
};
