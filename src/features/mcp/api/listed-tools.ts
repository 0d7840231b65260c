/** Which tools a key has: those whose route it may call. Scopes and answers are those of the OpenAPI document. */
import type { FastifyInstance } from 'fastify';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { missingScope } from '../../../core/scopes.ts';
import { TOOLS, type Tool } from './tools.ts';

interface Declared {
  'x-required-scope'?: string[];
  responses?: Record<string, { content?: Record<string, { schema?: JsonObject }> }>;
}
type Document = { paths: Record<string, Record<string, Declared>> };

export interface DeclaredTool {
  tool: Tool;
  /** What its route needs. */
  scopes: readonly string[];
  /** As it is listed. */
  listed: JsonObject;
}

/** Throws if a tool has no route. */
export function declareTools(app: FastifyInstance): readonly DeclaredTool[] {
  const { paths } = app.swagger() as unknown as Document;
  return TOOLS.map((tool) => {
    const [method = '', path = ''] = tool.route.split(' ');
    const route = paths[path]?.[method.toLowerCase()];
    const scopes = route?.['x-required-scope'];
    if (scopes === undefined) throw new Error(`The tool ${tool.name} has no route ${tool.route}.`);
    return { tool, scopes, listed: presentTool(tool, answerOf(route)) };
  });
}

function answerOf(route: Declared | undefined): JsonObject {
  const { responses = {} } = route ?? {};
  return (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema ?? {};
}

/** What the client wants of them. */
interface ToolChoice {
  isReadOnly: boolean;
  /** Such as `flags` and `insights`; null: all. */
  features: readonly string[] | null;
}

export const toolsFor = (
  declared: readonly DeclaredTool[],
  scopes: readonly string[],
  { isReadOnly, features }: ToolChoice,
): DeclaredTool[] =>
  declared.filter(({ tool, scopes: required }) => {
    if (missingScope(scopes, required) !== null || (isReadOnly && tool.writes === true)) return false;
    return features === null || features.some((feature) => isOf(feature, tool, required));
  });

/** `flags`: what is named flag or flags, and what needs the scope `feature_flag`. */
function isOf(feature: string, { name }: Tool, required: readonly string[]): boolean {
  const noun = feature.trim().toLowerCase().replace(/s$/, '');
  const nouns = [name.split('_', 1)[0] ?? '', ...required.map((scope) => scope.replace(/:.*$/, '').split('_').at(-1))];
  return noun !== '' && nouns.some((one) => one?.replace(/s$/, '') === noun);
}

const presentTool = ({ name, description, args, writes, twoSteps }: Tool, answer: JsonObject): JsonObject => ({
  name,
  description,
  inputSchema: JSON.parse(JSON.stringify(args)),
  outputSchema: twoSteps === undefined ? outlineOf(answer) : { type: 'object' },
  annotations: {
    readOnlyHint: writes !== true,
    destructiveHint: twoSteps === 'flag_update',
    idempotentHint: writes !== true,
    openWorldHint: false,
  },
});

/** How many fields of an answer are named: all of a page, the first ones of a large object. */
const MAX_FIELDS = 6;

/** The fields of an answer with their types, without what is inside: whole schemas would be longer than the answers. */
function outlineOf(schema: JsonObject): JsonObject {
  if (schema['type'] === 'array') return { type: 'object', properties: { results: { type: 'array' } } };
  const { properties } = schema;
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const typed = fields.flatMap(([name, field]): [string, JsonObject][] => {
    const type = typeOf(field);
    return type === null ? [] : [[name, { type }]];
  });
  if (typed.length === 0) return { type: 'object' };
  return { type: 'object', properties: Object.fromEntries(typed.slice(0, MAX_FIELDS)) };
}

const typeOf = (field: Json): string | null =>
  isJsonObject(field) && typeof field['type'] === 'string' && field['nullable'] !== true ? field['type'] : null;
