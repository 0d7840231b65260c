/** The public doors: what SDKs call with a project key. Bodies are taken as bytes, and decoded by the bytes. */
import type { FastifyInstance } from 'fastify';
import { absentFeatureRoutes } from './absent-features.ts';
import { captureRoutes } from './capture.ts';
import { captureV1Routes } from './capture-v1.ts';
import { allowBrowsers } from './cors.ts';
import { cspReportRoutes } from './csp-report.ts';
import { decideRoutes } from './decide.ts';
import type { PublicDeps } from './deps.ts';
import { flagsRoutes } from './flags.ts';
import { ofrepRoutes } from './ofrep.ts';
import { remoteConfigRoutes } from './remote-config.ts';
import { Scripts } from './scripts.ts';
import { segmentRoutes } from './segment.ts';
import { staticRoutes } from './static.ts';

export type { PublicDeps } from './deps.ts';

const USUAL_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

export function publicRoutes(app: FastifyInstance, deps: PublicDeps): void {
  app.removeAllContentTypeParsers();
  // The usual types by name, because the framework looks for the others anew at each request.
  app.addContentTypeParser([...USUAL_TYPES, '*'], { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // Bodies are judged by the decoder; schemas here are for the document alone.
  app.setValidatorCompiler(() => () => true);
  allowBrowsers(app);
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
