import type { Feature } from '../feature.ts';
import { deadLetterRoutes } from './api/dead-letter-routes.ts';
import type { EventApiDeps } from './api/deps.ts';
import { eventFateRoutes } from './api/event-fate-routes.ts';
import { eventRoutes } from './api/event-routes.ts';
import { liveEventRoutes } from './api/live-event-routes.ts';

export const eventsFeature: Feature<EventApiDeps> = {
  name: 'events',
  api(app, deps) {
    eventRoutes(app, deps);
    liveEventRoutes(app, deps);
    eventFateRoutes(app, deps);
    deadLetterRoutes(app, deps);
  },
};
