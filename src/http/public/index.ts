/** The public doors: what SDKs call with a project key. Bodies are taken as bytes, and decoded by the bytes. */
import type { FastifyInstance } from 'fastify';
import { type CaptureDeps, captureRoutes } from './capture.ts';
import { captureV1Routes } from './capture-v1.ts';
import { allowBrowsers } from './cors.ts';
import { cspReportRoutes } from './csp-report.ts';

export type PublicDeps = CaptureDeps;

export function publicRoutes(app: FastifyInstance, deps: PublicDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  allowBrowsers(app);
  captureRoutes(app, deps);
  captureV1Routes(app, deps);
  cspReportRoutes(app, deps);
}
