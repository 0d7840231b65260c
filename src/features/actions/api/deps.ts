import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { ActionDeps } from '../actions.ts';

export interface ActionApiDeps extends RouteDeps, ActionDeps {}
