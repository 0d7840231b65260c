import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { ToolDeps } from './call-tool.ts';

export type McpDeps = RouteDeps &
  ToolDeps & {
    config: { maxLiveStreams: number };
    /** The guides of this version, by name. */
    guides(): ReadonlyMap<string, string>;
  };
