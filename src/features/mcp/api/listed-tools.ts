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

/** What the client wants of them. */
interface ToolChoice {
  isReadOnly: boolean;
  /** Such as `flags` and `insights`; null: all. */
  features: readonly string[] | null;
}

export const toolsFor = (
  needs: ReadonlyMap<Tool, readonly string[]>,
  scopes: readonly string[],
  { isReadOnly, features }: ToolChoice,
): Tool[] =>
  TOOLS.filter((tool) => {
    const required = needs.get(tool) ?? [];
    if (missingScope(scopes, required) !== null || (isReadOnly && tool.writes === true)) return false;
    return features === null || features.some((feature) => isOf(feature, tool, required));
  });

/** `flags`: what is named flag or flags, and what needs the scope `feature_flag`. */
function isOf(feature: string, { name }: Tool, required: readonly string[]): boolean {
  const noun = feature.trim().toLowerCase().replace(/s$/, '');
  const nouns = [name.split('_', 1)[0] ?? '', ...required.map((scope) => scope.replace(/:.*$/, '').split('_').at(-1))];
  return noun !== '' && nouns.some((one) => one?.replace(/s$/, '') === noun);
}

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
