/** How a route about persons is declared: under both of its paths, and with its answer as JSON or as CSV. */
import type { Static, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import type { RouteDeps } from '../../../http/api/route-deps.ts';
import { toCsv } from '../../../http/csv.ts';
import { FORMAT_QUERY, readFormat } from '../../../http/format.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';

export type PersonContext<Body> = RouteContext<Body> & { project: Project };

interface PersonRouteDefinition<B extends TSchema> {
  method: HTTPMethods;
  /** What comes after `/persons`. */
  path: string;
  summary: string;
  body?: B;
  query?: Readonly<Record<string, string>>;
  status?: 200 | 201;
  response?: TSchema;
  hidden?: boolean;
  asks?: boolean;
  /** Returns the answer, or the reply where it has written it itself. */
  handler(context: PersonContext<Static<B>>): Promise<unknown>;
}

export function personRoute<B extends TSchema>(
  app: FastifyInstance,
  deps: RouteDeps,
  { path, handler, query, ...declaration }: PersonRouteDefinition<B>,
): void {
  projectRoute<B>(app, deps, {
    ...declaration,
    url: `/api/projects/:project_id/persons${path}`,
    legacy: 'person',
    tag: 'persons',
    query: { ...query, ...FORMAT_QUERY },
    handler: async (context) => {
      const { reply } = context;
      // Asked first: a change must not be made whose answer nobody can read.
      const format = readFormat(context.query);
      const answer = await handler(context);
      if (format === 'json' || answer === reply) return answer;
      return reply
        .code(declaration.status ?? 200)
        .type('text/csv; charset=utf-8')
        .send(toCsv(rowsOf(answer as Json)));
    },
  });
}

/** The things that an answer is about: the items of a list, or the answer itself. */
function rowsOf(answer: Json): Json[] {
  if (Array.isArray(answer)) return answer;
  const list = isJsonObject(answer) ? (answer['results'] ?? answer['points']) : undefined;
  return Array.isArray(list) ? list : [answer];
}
