import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { ToolDeps } from './call-tool.ts';

export type McpDeps = RouteDeps & ToolDeps;
