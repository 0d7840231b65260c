import type { Feature } from '../feature.ts';
import type { AccountRouteDeps } from './api/deps.ts';
import { domainRoutes } from './api/domain-routes.ts';
import { inviteRoutes } from './api/invite-routes.ts';
import { memberRoutes } from './api/member-routes.ts';
import { oidcRoutes } from './api/oidc-routes.ts';
import { openSessionRoutes } from './api/open-session-routes.ts';
import { organizationRoutes } from './api/organization-routes.ts';
import { passkeyRoutes } from './api/passkey-routes.ts';
import { passwordResetRoutes } from './api/password-reset-routes.ts';
import { personalKeyRoutes } from './api/personal-key-routes.ts';
import { projectRoutes } from './api/project-routes.ts';
import { resourceAccessRoutes } from './api/resource-access-routes.ts';
import { roleRoutes } from './api/role-routes.ts';
import { secretKeyRoutes } from './api/secret-key-routes.ts';
import { sessionRoutes } from './api/session-routes.ts';
import { signUpRoutes } from './api/sign-up-routes.ts';
import { twoFactorRoutes } from './api/two-factor-routes.ts';
import { userRoutes } from './api/user-routes.ts';

export const accountsFeature: Feature<AccountRouteDeps> = {
  name: 'accounts',
  api(app, deps) {
    sessionRoutes(app, deps);
    oidcRoutes(app, deps);
    signUpRoutes(app, deps);
    passwordResetRoutes(app, deps);
    openSessionRoutes(app, deps);
    twoFactorRoutes(app, deps);
    passkeyRoutes(app, deps);
    userRoutes(app, deps);
    personalKeyRoutes(app, deps);
    organizationRoutes(app, deps);
    domainRoutes(app, deps);
    memberRoutes(app, deps);
    inviteRoutes(app, deps);
    roleRoutes(app, deps);
    resourceAccessRoutes(app, deps);
    projectRoutes(app, deps);
    secretKeyRoutes(app, deps);
  },
};
