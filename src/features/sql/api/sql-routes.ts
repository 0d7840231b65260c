import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { levelIn, requireKeyScopes } from '../../../access/callers.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import { RAW_CSV_QUERY, readCsvCells } from '../../../http/format.ts';
import { AnyObject, iso } from '../../../http/schemas/common.ts';
import { ADMIN, type Project } from '../../../stores/metadata/accounts.ts';
import { answerExperimentQuery, isExperimentQuery } from '../../experiments/api/answer-experiment-query.ts';
import { MAX_STATEMENT_DEPTH, MAX_STATEMENT_TABLES } from '../rules/check-tree.ts';
import { SQL_FUNCTIONS } from '../rules/functions.ts';
import { MAX_TEXT_BYTES } from '../rules/prepare-text.ts';
import { FILE_ROWS, readSqlQuery, TABLE_ROWS } from '../rules/read-sql-query.ts';
import { VIEWS } from '../rules/views.ts';
import type { AnsweredSql } from '../sql-queries.ts';
import type { SqlApiDeps } from './deps.ts';
import { sendRowsCsv, sendRowsParquet } from './send-rows.ts';
import { CheckBodySchema, QueryBodySchema, QueryStatusSchema, SqlCheckSchema, SqlSchemaSchema } from './sql-schemas.ts';

const ALL = { url: '/api/projects/:project_id/query/', tag: 'query', scope: 'query' } as const;
const ONE = { ...ALL, url: `${ALL.url}:client_query_id/` } as const;
type Context = RouteContext<unknown> & { project: Project };

export function sqlRoutes(app: FastifyInstance, deps: SqlApiDeps): void {
  runRoutes(app, deps);
  aboutRoutes(app, deps);
}

function runRoutes(app: FastifyInstance, deps: SqlApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    summary: 'Run a query',
    readOnly: true,
    body: QueryBodySchema,
    response: AnyObject,
    handler: async (context) => {
      const body = context.body as JsonObject;
      const asked = body['query'] as JsonObject;
      if (isExperimentQuery(asked['kind'])) {
        requireKeyScopes(context.caller, ['experiment:read']);
        return answerExperimentQuery(deps, context.project, asked['kind'], asked, context.reply);
      }
      const id = typeof body['client_query_id'] === 'string' ? body['client_query_id'] : deps.ids.uuid();
      const about = { id, projectId: context.project.id, userId: context.caller.user.id };
      const query = readBody(deps, context);
      const run = (signal: AbortSignal) => deps.sql.run(context.project.id, context.caller.user.id, query, signal);
      const present = (answer: AnsweredSql) =>
        withRows(answer.rows, describeAnswer(answer, context.project, query.sql));
      if (body['async'] !== true) {
        const answer = await deps.runningQueries.run(about, callerSignal(context.reply), run);
        return sendPieces(context.reply, present(answer));
      }
      deps.runningQueries.start(about, async (signal) => present(await run(signal)));
      return sendPieces(context.reply.code(202), statusOf(deps, context, id));
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    url: '/api/projects/:project_id/query.csv',
    summary: 'Run a query, with its rows as CSV',
    readOnly: true,
    body: QueryBodySchema,
    query: RAW_CSV_QUERY,
    handler: async (context) => {
      const query = { ...readBody(deps, context), rows: FILE_ROWS };
      const signal = callerSignal(context.reply);
      const rows = await deps.sql.run(context.project.id, context.caller.user.id, query, signal);
      return sendRowsCsv(context.reply, rows, readCsvCells(context.query));
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    url: '/api/projects/:project_id/query.parquet',
    summary: 'Run a query, with its rows as a Parquet file',
    readOnly: true,
    body: QueryBodySchema,
    handler: async (context) => {
      const query = { ...readBody(deps, context), rows: FILE_ROWS };
      const signal = callerSignal(context.reply);
      const written = await deps.sql.runToFile(context.project.id, context.caller.user.id, query, signal);
      context.reply.header('content-disposition', 'attachment; filename="query.parquet"');
      return sendRowsParquet(context.reply, written);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'The state of a query that was started with `async`',
    response: QueryStatusSchema,
    handler: async (context) => sendPieces(context.reply, statusOf(deps, context, idOf(context))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    summary: 'End a query',
    readOnly: true,
    status: 204,
    handler: async (context) => deps.runningQueries.end(context.project.id, idOf(context), ownerOf(context)),
  });
}

function aboutRoutes(app: FastifyInstance, deps: SqlApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    url: `${ALL.url}check/`,
    summary: 'Check a query without running it',
    readOnly: true,
    body: CheckBodySchema,
    response: SqlCheckSchema,
    handler: async (context) => {
      const explain = (context.body as JsonObject)['explain'] === true;
      const query = { ...readBody(deps, context), checkOnly: true, explain };
      const signal = callerSignal(context.reply);
      const answer = await deps.sql.run(context.project.id, context.caller.user.id, query, signal);
      const { columns, types, sql, plan = null } = answer;
      return { isValid: true, columns, types, hogql: sql, plan };
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    url: `${ALL.url}schema/`,
    summary: 'Tables, columns and functions of queries',
    response: SqlSchemaSchema,
    handler: async () => ({
      tables: Object.entries(VIEWS).map(([name, { about, columns }]) => ({
        name,
        description: about,
        columns: columns.map(described),
      })),
      functions: SQL_FUNCTIONS,
      limits: limitsOf(deps),
    }),
  });
}

function limitsOf({ sql: { limits } }: SqlApiDeps) {
  return {
    rows: TABLE_ROWS.max,
    default_rows: TABLE_ROWS.byDefault,
    file_rows: FILE_ROWS.max,
    seconds: limits.seconds,
    memory_mb: limits.memoryMb,
    answer_bytes: limits.answerBytes,
    statements_per_minute: limits.perMinute,
    text_bytes: MAX_TEXT_BYTES,
    tables: MAX_STATEMENT_TABLES,
    depth: MAX_STATEMENT_DEPTH,
  };
}

const readBody = ({ clock }: SqlApiDeps, { body, project: { timezone } }: Context) =>
  readSqlQuery(body as JsonObject, { timezone, now: clock.now() });

const described = ({ name, type, about }: { name: string; type: string; about: string }) => ({
  name,
  type,
  description: about,
});

const idOf = ({ params }: Context): string => params['client_query_id'] ?? '';

const ownerOf = ({ caller, project }: Context) => ({
  userId: caller.user.id,
  isAdmin: (levelIn(caller, project.organizationId) ?? 0) >= ADMIN,
});

function statusOf({ runningQueries }: SqlApiDeps, context: Context, id: string): Buffer[] {
  const query = runningQueries.get(context.project.id, id);
  const status = {
    id,
    complete: query.endedAt !== null,
    error: query.error !== null,
    error_message: query.error?.message ?? null,
    start_time: iso(query.startedAt),
    end_time: query.endedAt === null ? null : iso(query.endedAt),
    expiration_time: iso((query.endedAt ?? query.startedAt) + 600_000),
    query_progress: null,
  };
  const [begin, end] = [
    Buffer.from('{"query_status":{"results":'),
    Buffer.from(`,${JSON.stringify(status).slice(1)}}`),
  ];
  return [begin, ...(query.answer ?? [Buffer.from('null')]), end];
}

const seconds = (ms: number): number => Number((ms / 1000).toFixed(3));

/** JSON with the rows as they came, in pieces: to put a large answer together would hold up other requests. */
const withRows = (rows: Buffer, about: object): Buffer[] => [
  Buffer.from('{"results":'),
  rows,
  Buffer.from(`,${JSON.stringify(about).slice(1)}`),
];

function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return reply.type('application/json; charset=utf-8').header('content-length', length).send(Readable.from(pieces));
}

/** Everything but the rows. */
function describeAnswer(answer: AnsweredSql, project: Project, sql: string) {
  const { columns, types, hasMore, limit, offset, checkMs, runMs } = answer;
  return {
    columns,
    types,
    hogql: answer.sql,
    query: sql,
    error: null,
    hasMore,
    limit,
    offset,
    timings: [
      { k: 'check', t: seconds(checkMs) },
      { k: 'run', t: seconds(runMs) },
    ],
    is_cached: answer.isCached,
    cache_key: answer.cacheKey,
    last_refresh: iso(answer.computedAt),
    fresh_until: iso(answer.freshUntil),
    timezone: project.timezone,
    clickhouse: null,
    query_status: null,
    warnings: answer.warnings,
  };
}
