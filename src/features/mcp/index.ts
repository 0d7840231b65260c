import type { Feature } from '../feature.ts';
import type { McpDeps } from './api/deps.ts';
import { mcpRoutes } from './api/mcp-routes.ts';

export const mcpFeature: Feature<McpDeps> = {
  name: 'mcp',
  api: mcpRoutes,
};
