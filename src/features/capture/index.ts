import type { Feature } from '../feature.ts';
import { CAPTURE_FAST_ROUTES, captureRoutes } from './public/capture-routes.ts';
import { captureV1Routes } from './public/capture-v1-routes.ts';
import { cspReportRoutes } from './public/csp-report-routes.ts';
import type { CaptureDeps } from './public/deps.ts';
import { segmentRoutes } from './public/segment-routes.ts';

export const captureFeature: Feature<CaptureDeps> = {
  name: 'capture',
  fastRoutes: CAPTURE_FAST_ROUTES,
  public(app, deps) {
    captureRoutes(app, deps);
    captureV1Routes(app, deps);
    cspReportRoutes(app, deps);
    segmentRoutes(app, deps);
  },
};
