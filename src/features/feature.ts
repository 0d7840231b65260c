/** The manifest of a feature: everything it adds to the server. `runtime/features.ts` lists them. */
import type { FastifyInstance } from 'fastify';
import type { SendConsolePage } from '../http/console-routes.ts';
import type { FastRoute } from '../http/public/fast-route.ts';
import type { PublicRouteDeps } from '../http/public/public-deps.ts';
import type { LeaderTask } from '../lib/leader-task.ts';
import type { FeatureTables } from '../stores/sql/feature-tables.ts';

/** `Deps` is what the feature needs; the compiler checks that `runtime` provides it. */
export interface Feature<Deps> extends Partial<FeatureTables> {
  name: string;
  /** Private routes: for the console and for scripts, with a session or a personal key. */
  api?: (app: FastifyInstance, deps: Deps) => void;
  /** Pages for people who are not signed in, drawn by the console, and what they load. */
  pages?: (app: FastifyInstance, deps: Deps, sendPage: SendConsolePage) => void;
  /** Public routes: for SDKs, with a project key. */
  public?: (app: FastifyInstance, deps: Deps) => void;
  /** Public routes that are answered past the web framework, because they are called all the time. */
  fastRoutes?: readonly FastRoute<Deps & PublicRouteDeps>[];
  leaderTasks?: (deps: Deps) => readonly LeaderTask[];
}
