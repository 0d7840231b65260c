/**
 * The pages behind shared links: `/shared/TOKEN`, `/embedded/TOKEN` for frames on other sites, and `/shared/TOKEN.json`
 * with what they show. A token opens these and nothing else.
 */
import { serialize } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, notFound } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { MINUTE_MS, SECOND_MS } from '../../../core/time/units.ts';
import { readCookieBelow, secureName } from '../../../http/api/session-cookie.ts';
import { parseJsonBody } from '../../../http/body-parsers.ts';
import { compressAnswers } from '../../../http/compression.ts';
import type { SendConsolePage } from '../../../http/console-routes.ts';
import { type Query, queryText } from '../../../http/paging.ts';
import { isEncrypted } from '../../../http/security-headers.ts';
import { networkOf } from '../../../lib/network.ts';
import { Throttle, throttled } from '../../../lib/throttle.ts';
import type { SharingPageDeps } from '../api/deps.ts';
import { enterPassword, type OpenedShare, openShare, requireShareAccess, SHARE_COOKIE_MS } from '../open-share.ts';
import { frameAncestors } from '../rules/share-settings.ts';
import type { VisitorQuery } from '../rules/visitor-question.ts';
import { SharedViews } from '../shared-views.ts';
import { countView } from '../shares.ts';

const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;
const KEPT = 'private, max-age=60';
/** For each network, pages and their data together. */
const MAX_REQUESTS_PER_MINUTE = 300;
const MAX_PASSWORD_BODY_BYTES = 4096;
const COOKIE = 'cairn_share';
const DATA_SUFFIX = '.json';

const PRIVATE = { 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' };
const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'content-type': 'application/json; charset=utf-8',
};

const tokenOf = (request: FastifyRequest): string => (request.params as { token?: string }).token ?? '';

export function sharedRoutes(app: FastifyInstance, deps: SharingPageDeps, sendPage: SendConsolePage): void {
  void app.register((pages, _options, done) => {
    const requests = new Throttle(deps.clock, MAX_REQUESTS_PER_MINUTE, MINUTE_MS);
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers({ ...PRIVATE, 'cache-control': 'no-store' });
      const network = networkOf(request.ip);
      const wait = requests.secondsUntilAllowed(network);
      if (wait > 0) throw throttled(wait);
      requests.record(network);
    });
    compressAnswers(pages);
    addPages(pages, deps, sendPage);
    addPasswords(pages, deps);
    done();
  });
}

const visitorQuery = ({ query }: FastifyRequest): VisitorQuery => ({
  dateFrom: queryText(query as Query, 'date_from'),
  filters: queryText(query as Query, 'filters'),
});

/** Tables of a shared site, and files. */
function addTables(app: FastifyInstance, deps: SharingPageDeps, views: SharedViews): void {
  const open = async (request: FastifyRequest): Promise<OpenedShare> => {
    const opened = await openShare(deps, tokenOf(request));
    await requireShareAccess(deps, opened.share, readCookieBelow(request, deps.config.publicUrl, COOKIE));
    return opened;
  };
  const by = ({ query }: FastifyRequest): string | undefined => queryText(query as Query, 'by');
  app.get('/shared/:token/breakdown.json', hidden, async (request, reply) => {
    reply.headers(DATA_HEADERS);
    const table = await views.siteTable(await open(request), visitorQuery(request), by(request) ?? '');
    return reply.header('cache-control', KEPT).send(table);
  });
  for (const name of ['overview', 'breakdown']) {
    app.get(`/shared/:token/${name}.csv`, hidden, async (request, reply) => {
      const asked = name === 'overview' ? undefined : (by(request) ?? '');
      const lines = await views.siteCsv(await open(request), visitorQuery(request), asked);
      return reply
        .headers({ ...DATA_HEADERS, 'content-type': 'text/csv; charset=utf-8', 'cache-control': KEPT })
        .header('content-disposition', `attachment; filename="web-${name}.csv"`)
        .send(lines);
    });
  }
}

function addPages(app: FastifyInstance, deps: SharingPageDeps, sendPage: SendConsolePage): void {
  const views = new SharedViews(deps);
  addTables(app, deps, views);
  app.get('/shared/:token', hidden, async (request, reply) => {
    const token = tokenOf(request);
    if (token.endsWith(DATA_SUFFIX)) return sendData(deps, views, request, reply);
    return sendShared(deps, sendPage, request, reply, () => undefined);
  });
  app.get('/embedded/:token', hidden, (request, reply) =>
    sendShared(deps, sendPage, request, reply, (origins) => frameAncestors(origins)),
  );
}

/** The page is the same for every link, and for those that open nothing. */
async function sendShared(
  deps: SharingPageDeps,
  sendPage: SendConsolePage,
  request: FastifyRequest,
  reply: FastifyReply,
  framesOf: (origins: readonly string[]) => string | undefined,
): Promise<FastifyReply> {
  const opened = await openShare(deps, tokenOf(request)).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found') return null;
    throw error;
  });
  if (opened === null) return sendPage(request, reply.code(404));
  const frames = framesOf(opened.share.allowedOrigins);
  reply.header('cache-control', KEPT);
  return sendPage(request, reply, frames === undefined ? {} : { frameAncestors: frames });
}

async function sendData(
  deps: SharingPageDeps,
  views: SharedViews,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers(DATA_HEADERS);
  const opened = await openShare(deps, tokenOf(request).slice(0, -DATA_SUFFIX.length));
  await requireShareAccess(deps, opened.share, readCookieBelow(request, deps.config.publicUrl, COOKIE));
  const view = await views.get(opened, visitorQuery(request));
  await countView(deps, opened.share);
  return reply.header('cache-control', KEPT).send(view);
}

function addPasswords(app: FastifyInstance, deps: SharingPageDeps): void {
  const options = { parseAs: 'buffer', bodyLimit: MAX_PASSWORD_BODY_BYTES } as const;
  app.addContentTypeParser('application/json', options, (_request, body: Buffer, done) => {
    try {
      done(null, parseJsonBody(body));
    } catch (error) {
      done(error as Error);
    }
  });
  app.post('/shared/:token', hidden, async (request, reply) => {
    const token = tokenOf(request);
    const opened = await openShare(deps, token);
    if (!opened.share.passwordRequired) throw notFound();
    const { password } = isJsonObject(request.body) ? request.body : {};
    const value = await enterPassword(deps, opened, typeof password === 'string' ? password : '', request.ip);
    return reply.header('set-cookie', cookies(deps, request, token, value)).send({ success: true });
  });
}

/**
 * One for each path of this link, and for no other. Frames on other sites get it too where there is https, kept apart for
 * each site; it opens this page alone.
 */
function cookies(
  { config: { publicUrl } }: SharingPageDeps,
  request: FastifyRequest,
  token: string,
  value: string,
): string[] {
  const secure = isEncrypted(request, publicUrl);
  const rules = secure ? ({ sameSite: 'none', partitioned: true } as const) : ({ sameSite: 'lax' } as const);
  return [`/shared/${token}`, `/shared/${token}${DATA_SUFFIX}`, `/embedded/${token}`].map((path) =>
    serialize(secureName(COOKIE, request, publicUrl), value, {
      ...rules,
      path,
      secure,
      httpOnly: true,
      maxAge: SHARE_COOKIE_MS / SECOND_MS,
    }),
  );
}
