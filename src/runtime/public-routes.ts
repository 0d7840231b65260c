/** The public doors: what SDKs call with a project key. Bodies are taken as bytes, and decoded by the bytes. */
import type { FastifyInstance } from 'fastify';
import { captureRoutes } from '../features/capture/public/capture-routes.ts';
import { captureV1Routes } from '../features/capture/public/capture-v1-routes.ts';
import { cspReportRoutes } from '../features/capture/public/csp-report-routes.ts';
import { segmentRoutes } from '../features/capture/public/segment-routes.ts';
import { decideRoutes } from '../features/flags/public/decide-routes.ts';
import { flagsRoutes } from '../features/flags/public/flags-routes.ts';
import { ofrepRoutes } from '../features/flags/public/ofrep/ofrep-routes.ts';
import { absentFeatureRoutes } from '../features/sdk/public/absent-feature-routes.ts';
import { remoteConfigRoutes } from '../features/sdk/public/remote-config-routes.ts';
import { Scripts } from '../features/sdk/public/scripts.ts';
import { staticRoutes } from '../features/sdk/public/static-routes.ts';
import { addCors } from '../http/public/cors.ts';
import type { PublicDeps } from './public-deps.ts';

export type { PublicDeps } from './public-deps.ts';

const COMMON_CONTENT_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

export function publicRoutes(app: FastifyInstance, deps: PublicDeps): void {
  app.removeAllContentTypeParsers();
  // The usual types by name, because the framework looks for the others anew at each request.
  app.addContentTypeParser([...COMMON_CONTENT_TYPES, '*'], { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  // Bodies are judged by the decoder; schemas here are for the document alone.
  app.setValidatorCompiler(() => () => true);
  addCors(app);
  captureRoutes(app, deps);
  captureV1Routes(app, deps);
  cspReportRoutes(app, deps);
  segmentRoutes(app, deps);
  decideRoutes(app, deps);
  flagsRoutes(app, deps);
  ofrepRoutes(app, deps);
  const scripts = new Scripts();
  remoteConfigRoutes(app, deps, scripts);
  staticRoutes(app, scripts);
  absentFeatureRoutes(app, deps);
}
