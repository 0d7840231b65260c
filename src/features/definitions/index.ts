import type { Feature } from '../feature.ts';
import type { DefinitionApiDeps } from './api/deps.ts';
import { eventDefinitionRoutes } from './api/event-definition-routes.ts';
import { propertyDefinitionRoutes } from './api/property-definition-routes.ts';

export const definitionsFeature: Feature<DefinitionApiDeps> = {
  name: 'definitions',
  api(app, deps) {
    eventDefinitionRoutes(app, deps);
    propertyDefinitionRoutes(app, deps);
  },
};
