import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ScopeObject } from '../../../core/scopes.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import { readCsvCells } from '../../../http/format.ts';
import { readPage } from '../../../http/paging.ts';
import { isoOrNull, PAGE_QUERY } from '../../../http/schemas/common.ts';
import { csvLine } from '../../../lib/csv-line.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { fieldText, insightFields } from '../../insights/api/insight-request.ts';
import { InsightBody } from '../../insights/api/insight-schemas.ts';
import { fittingActors, presentActors } from '../../insights/api/present-people.ts';
import { wantsRefresh } from '../../insights/api/run-query.ts';
import type { QuestionFields } from '../../insights/rules/fields.ts';
import { readWebQuestion } from '../rules/read-web-question.ts';
import type { WebAnswers } from '../worker-methods.ts';
import { answerBreakdownQuestion, answerOverviewQuestion, answerWebQuestion, webContext } from './answer-web.ts';
import type { WebApiDeps } from './deps.ts';
import { presentSession, seriesCsv, tableCsv } from './present-web.ts';
import {
  BREAKDOWN_QUERY,
  BreakdownSchema,
  LiveSchema,
  OVERVIEW_QUERY,
  OverviewSchema,
  PERIOD_QUERY,
  SessionsSchema,
  SiteStatusSchema,
  WebPeopleSchema,
} from './web-schemas.ts';

const URL_PREFIX = '/api/projects/:project_id/web_analytics';
const TAG = { tag: 'web analytics', scope: 'query' } as const;

type Request = RouteContext<unknown> & { project: Project };
type Handler = (request: Request, fields: QuestionFields) => Promise<unknown>;
type Docs = Pick<Parameters<typeof projectRoute>[2], 'summary' | 'query' | 'response'> & {
  scope?: readonly ScopeObject[];
};

export function webRoutes(app: FastifyInstance, deps: WebApiDeps): void {
  const declare = (name: string, docs: Docs, handler: Handler): void => {
    for (const method of ['GET', 'POST'] as const) {
      projectRoute(app, deps, {
        ...TAG,
        ...docs,
        ...(method === 'POST' ? { body: InsightBody, readOnly: true } : {}),
        method,
        url: `${URL_PREFIX}/${name}/`,
        handler: (request) => handler(request, insightFields(request.query, request.body, { repeated: 'last' })),
      });
    }
  };
  overview(app, deps, declare);
  breakdown(app, deps, declare);
  behind(deps, declare);
  now(app, deps);
}

type Declare = (name: string, docs: Docs, handler: Handler) => void;

const answer = <K extends keyof WebAnswers>(
  deps: WebApiDeps,
  { project, reply }: Pick<Request, 'project' | 'reply'>,
  kind: K,
  question: WebAnswers[K]['question'],
  refresh = false,
) => answerWebQuestion(deps, { project, signal: callerSignal(reply), refresh }, kind, question);

const answerOverview = (deps: WebApiDeps, { project, reply }: Request, fields: QuestionFields) =>
  answerOverviewQuestion(deps, { project, signal: callerSignal(reply), refresh: wantsRefresh(fields) }, fields);

function overview(app: FastifyInstance, deps: WebApiDeps, declare: Declare): void {
  const docs = { summary: 'A site at a glance', query: OVERVIEW_QUERY, response: OverviewSchema };
  declare('overview', docs, (request, fields) => answerOverview(deps, request, fields));
  projectRoute(app, deps, {
    ...TAG,
    method: 'GET',
    url: `${URL_PREFIX}/overview.csv`,
    summary: 'The intervals of a site as CSV',
    hidden: true,
    handler: async (request) => {
      const fields = insightFields(request.query, undefined, { repeated: 'last' });
      const { series } = await answerOverview(deps, request, fields);
      return sendCsv(request, 'overview', seriesCsv(series));
    },
  });
}

const answerBreakdown = (deps: WebApiDeps, { project, reply }: Request, fields: QuestionFields, refresh = false) =>
  answerBreakdownQuestion(deps, { project, signal: callerSignal(reply), refresh }, fields);

function breakdown(app: FastifyInstance, deps: WebApiDeps, declare: Declare): void {
  const docs = { summary: 'One table of a site', query: BREAKDOWN_QUERY, response: BreakdownSchema };
  declare(
    'breakdown',
    docs,
    async (request, fields) => (await answerBreakdown(deps, request, fields, wantsRefresh(fields))).shown,
  );
  projectRoute(app, deps, {
    ...TAG,
    method: 'GET',
    url: `${URL_PREFIX}/breakdown.csv`,
    summary: 'One table of a site as CSV',
    hidden: true,
    handler: async (request) => {
      const fields = insightFields(request.query, undefined, { repeated: 'last' });
      const { by, table } = await answerBreakdown(deps, request, fields);
      return sendCsv(request, by, tableCsv(by, table));
    },
  });
}

function sendCsv({ reply, query }: Request, name: string, rows: readonly string[][]): FastifyReply {
  const cells = readCsvCells(query);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="web-${name}.csv"`)
    .send(rows.map((row) => csvLine(row, cells)).join(''));
}

/** As lists of persons show them. */
const LISTED_PERSONS = { order: 'found', person: 'listed', showsUnknownGroups: false } as const;

/** The sessions and persons behind a number. */
function behind(deps: WebApiDeps, declare: Declare): void {
  const query = { ...PERIOD_QUERY, ...PAGE_QUERY };
  const read = async (project: Project, fields: QuestionFields) => ({
    web: readWebQuestion(fields, await webContext(deps, project, fields)),
    page: readPage({ limit: fieldText(fields['limit']), offset: fieldText(fields['offset']) }),
  });
  declare(
    'sessions',
    { summary: 'Sessions, newest first', query, response: SessionsSchema },
    async (request, fields) => {
      const question = await read(request.project, fields);
      const { answer: sessions } = await answer(deps, request, 'sessions', question);
      return { results: sessions.map(presentSession), next: nextPage(request, question.page, sessions.length) };
    },
  );
  declare(
    'people',
    { summary: 'The visitors behind a number', query, response: WebPeopleSchema, scope: ['query', 'person'] },
    async (request, fields) => {
      const question = await read(request.project, fields);
      const { answer: ids } = await answer(deps, request, 'visitors', question);
      const actor = { kind: 'person' } as const;
      const found = ids.map((id) => ({ actor: id }));
      const fitting = await fittingActors(deps.metadata, request.project.id, actor, found);
      const shown = await presentActors(deps.metadata, request.project.id, actor, fitting, LISTED_PERSONS);
      return {
        results: shown.map((one) => one.shown),
        next:
          fitting.length < found.length || found.length === question.page.limit
            ? nextPage(request, question.page, question.page.limit, fitting.length)
            : null,
        missing_persons: fitting.length - shown.length,
      };
    },
  );
}

/** Null on the last page; a page that is exactly full may be the last one. */
function nextPage(
  { url }: Request,
  { limit, offset }: { limit: number; offset: number },
  found: number,
  step = limit,
): string | null {
  if (found < limit) return null;
  const next = new URL(url);
  next.searchParams.set('offset', String(offset + step));
  next.search = next.searchParams.toString();
  return next.toString();
}

function now(app: FastifyInstance, deps: WebApiDeps): void {
  const ask = async (project: Project) => ({
    web: readWebQuestion({}, await webContext(deps, project, {})),
  });
  projectRoute(app, deps, {
    ...TAG,
    method: 'GET',
    url: `${URL_PREFIX}/live/`,
    summary: 'Who is on the site now',
    response: LiveSchema,
    handler: async ({ project, reply }) => {
      const question = await ask(project);
      // Not from the cache: it changes with every second.
      const { visitors, pages } = await withQueryLimits(
        deps.config.queryTimeoutSeconds,
        callerSignal(reply),
        (signal) => deps.answerWeb('live', project.id, question, signal),
      );
      return {
        visitors,
        pages: pages.map(({ path, country, at }) => ({ path, country: country || null, at: isoOrNull(at) })),
      };
    },
  });
  projectRoute(app, deps, {
    ...TAG,
    method: 'GET',
    url: `${URL_PREFIX}/status/`,
    summary: 'What is known about the views of the last 30 days',
    response: SiteStatusSchema,
    handler: async (request) => {
      const { answer: status } = await answer(deps, request, 'status', await ask(request.project));
      return {
        has_data: status.lastView !== null,
        last_view: isoOrNull(status.lastView),
        hosts: status.hosts,
        with_country: status.withCountry,
        with_session: status.withSession,
        cookieless: status.cookieless,
      };
    },
  });
}
