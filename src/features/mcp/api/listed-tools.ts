/** Which tools a key has: those whose route it may call. The scopes are those of the routes, in the OpenAPI document. */
import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../core/json/json.ts';
import { missingScope } from '../../../core/scopes.ts';
import { TOOLS, type Tool } from './tools.ts';

type Document = { paths: Record<string, Record<string, { 'x-required-scope'?: string[] }>> };

/** Tool → what it needs. Throws if a tool has no route. */
export function scopesOfTools(app: FastifyInstance): ReadonlyMap<Tool, readonly string[]> {
  const { paths } = app.swagger() as unknown as Document;
  return new Map(
    TOOLS.map((tool) => {
      const [method = '', path = ''] = tool.route.split(' ');
      const scopes = paths[path]?.[method.toLowerCase()]?.['x-required-scope'];
      if (scopes === undefined) throw new Error(`The tool ${tool.name} has no route ${tool.route}.`);
      return [tool, scopes];
    }),
  );
}

export const toolsFor = (
  needs: ReadonlyMap<Tool, readonly string[]>,
  scopes: readonly string[],
  isReadOnly: boolean,
): Tool[] =>
  TOOLS.filter((tool) => missingScope(scopes, needs.get(tool) ?? []) === null && !(isReadOnly && tool.writes === true));

export const presentTool = ({ name, description, args, writes, twoSteps }: Tool): JsonObject => ({
  name,
  description,
  inputSchema: JSON.parse(JSON.stringify(args)),
  annotations: {
    readOnlyHint: writes !== true,
    destructiveHint: twoSteps === 'flag_update',
    idempotentHint: writes !== true,
    openWorldHint: false,
  },
});
