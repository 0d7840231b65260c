/** Turns a call of a tool into a request to its route. */
import { invalid } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { readValue } from '../../../http/validate.ts';
import type { RouteCall } from './call-route.ts';
import type { Tool } from './tools.ts';

/** The arguments as the tool declares them; throws with the name of the first that is wrong. */
export function readArguments(tool: Tool, given: JsonObject): JsonObject {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(tool.args.properties, name)) continue;
    const known = Object.keys(tool.args.properties).join(', ');
    throw invalid(name.slice(0, 100), `${tool.name} has no such argument; it takes ${known}.`);
  }
  return readValue(tool.args, given) as JsonObject;
}

export function toRouteCall(tool: Tool, args: JsonObject, projectId: number): RouteCall {
  const { project_id: _, ...given } = args;
  const own = tool.toRoute?.(given) ?? given;
  const [method = 'GET', path = ''] = tool.route.split(' ') as [RouteCall['method'], string];
  const inPath: JsonObject = { ...own, project_id: projectId };
  const url = path.replace(/\{(\w+)\}/g, (_all, name: string) => pathPart(name, String(inPath[name])));
  const rest = Object.entries(own).filter(([name]) => !path.includes(`{${name}}`));
  if (method === 'GET') return { method, url: url + queryOf(withLimit(tool, rest)) };
  const isInQuery = ([name]: [string, unknown]): boolean => tool.inQuery?.includes(name) ?? false;
  const body = Object.fromEntries(rest.filter((one) => !isInQuery(one)));
  return { method, url: url + queryOf(rest.filter(isInQuery)), body };
}

/** As a part of a path these would lead to another route. */
export const isPathStep = (text: string): boolean => text === '' || text === '.' || text === '..';

function pathPart(name: string, value: string): string {
  if (isPathStep(value)) throw invalid(name, 'This is no id.');
  return encodeURIComponent(value);
}

/** Lists are shorter than those of the REST API unless more is asked for: assistants pay for every word. */
function withLimit({ args }: Tool, given: [string, Json][]): [string, Json][] {
  const { default: limit } = (args.properties['limit'] ?? {}) as { default?: number };
  if (limit === undefined || given.some(([name]) => name === 'limit')) return given;
  return [...given, ['limit', limit]];
}

function queryOf(values: readonly [string, Json][]): string {
  if (values.length === 0) return '';
  const asText = (value: Json): string => (typeof value === 'string' ? value : stringifyExact(value));
  return `?${new URLSearchParams(values.map(([name, value]): [string, string] => [name, asText(value)]))}`;
}
