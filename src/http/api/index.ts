/** Every private route. */
import type { FastifyInstance } from 'fastify';
import { deadLetterRoutes } from './dead-letters.ts';
import { definitionRoutes } from './definitions.ts';
import type { ApiDeps } from './deps.ts';
import { eventFateRoutes } from './event-fates.ts';
import { eventRoutes } from './events.ts';
import { liveEventRoutes } from './events-live.ts';
import { featureFlagRoutes } from './feature-flags.ts';
import { memberRoutes } from './members.ts';
import { organizationRoutes } from './organizations.ts';
import { personChangeRoutes } from './person-changes.ts';
import { personFactRoutes } from './person-facts.ts';
import { personalKeyRoutes } from './personal-keys.ts';
import { personRoutes } from './persons.ts';
import { projectRoutes } from './projects.ts';
import { resourceAccessRoutes } from './resource-access.ts';
import { roleRoutes } from './roles.ts';
import { sessionRoutes } from './sessions.ts';
import { userRoutes } from './users.ts';

export type { ApiDeps } from './deps.ts';

export function apiRoutes(app: FastifyInstance, deps: ApiDeps): void {
  sessionRoutes(app, deps);
  userRoutes(app, deps);
  personalKeyRoutes(app, deps);
  organizationRoutes(app, deps);
  memberRoutes(app, deps);
  roleRoutes(app, deps);
  resourceAccessRoutes(app, deps);
  projectRoutes(app, deps);
  eventRoutes(app, deps);
  liveEventRoutes(app, deps);
  eventFateRoutes(app, deps);
  deadLetterRoutes(app, deps);
  definitionRoutes(app, deps);
  featureFlagRoutes(app, deps);
  personRoutes(app, deps);
  personChangeRoutes(app, deps);
  personFactRoutes(app, deps);
}
