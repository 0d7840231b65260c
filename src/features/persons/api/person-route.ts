/** Declares a route about persons: under `/persons` and the legacy path, with JSON or CSV as response. */
import type { Static, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { Resource } from '../../../access/resources.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import type { ScopeObject } from '../../../core/scopes.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { toCsv } from '../../../http/csv.ts';
import { FORMAT_QUERY, readCsvCells, readFormat } from '../../../http/format.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';

export type PersonContext<Body> = RouteContext<Body> & { project: Project };

interface PersonRouteDefinition<B extends TSchema> {
  method: HTTPMethods;
  /** The path after `/persons`. */
  path: string;
  summary: string;
  body?: B;
  query?: Readonly<Record<string, string>>;
  status?: 200 | 201;
  response?: TSchema;
  hidden?: boolean;
  readOnly?: boolean;
  edits?: readonly Resource[];
  /** What a key needs beside `person`. */
  alsoNeeds?: ScopeObject;
  /** Returns the response body, or the reply if it has sent one. */
  handler(context: PersonContext<Static<B>>): Promise<unknown>;
}

export function personRoute<B extends TSchema>(
  app: FastifyInstance,
  deps: RouteDeps,
  { path, handler, query, alsoNeeds, ...declaration }: PersonRouteDefinition<B>,
): void {
  projectRoute<B>(app, deps, {
    ...declaration,
    url: `/api/projects/:project_id/persons${path}`,
    legacy: 'person',
    tag: 'persons',
    scope: alsoNeeds === undefined ? 'person' : ['person', alsoNeeds],
    query: { ...query, ...FORMAT_QUERY },
    handler: async (context) => {
      const { reply } = context;
      // Before the handler: an invalid format must not change anything.
      const format = readFormat(context.query);
      const body = await handler(context);
      if (format === 'json' || body === reply) return body;
      return reply
        .code(declaration.status ?? 200)
        .type('text/csv; charset=utf-8')
        .send(toCsv(rowsOf(body as Json), readCsvCells(context.query)));
    },
  });
}

/** The rows of a CSV response: the items of a list, or the body itself. */
function rowsOf(body: Json): Json[] {
  if (Array.isArray(body)) return body;
  const list = isJsonObject(body) ? (body['results'] ?? body['points']) : undefined;
  return Array.isArray(list) ? list : [body];
}
