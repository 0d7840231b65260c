/**
 * The web console: its built files (dist/console/), and one page for all of its paths. The files are listed once at the
 * start, so no path from a request reaches the file system.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../core/errors.ts';
import { digest } from '../lib/secrets.ts';
import { acceptsEncoding } from './compression.ts';
import { CACHE_FOREVER, isNotModified } from './send-script.ts';

interface ConsoleOptions {
  /** Of the built console; it need not exist. */
  folder: string;
  /** Shown in snippets; null: the URL that the page was loaded from. */
  publicUrl: string | null;
}

/** All routes of `console/src/routes.ts` are below these. */
const PAGE_PATHS = [
  '/',
  '/login',
  '/login/link',
  '/setup',
  '/invite/*',
  '/reset',
  '/reset/*',
  '/account',
  '/status',
  '/docs',
  '/help',
  '/help/*',
  '/project/*',
  '/organization/*',
];

/** Only our own files, nothing inline, and no text as HTML. */
const policy = (frameAncestors: string): string =>
  [
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const HEADERS = {
  'content-security-policy': policy("'none'"),
  'x-content-type-options': 'nosniff',
  // The setup link is a secret.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'application/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.woff2': 'font/woff2',
};

const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;

/** Sends the page of the console, for a path that is not one of its own. */
export type SendConsolePage = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** `frameAncestors`: the sites that may show it in a frame; none by default. */
  options?: { frameAncestors?: string },
) => Promise<FastifyReply>;

export function consolePage({ folder, publicUrl }: ConsoleOptions): SendConsolePage {
  const page = readPage(folder, publicUrl);
  return (request, reply, { frameAncestors = "'none'" } = {}) => sendPage(request, reply, page, policy(frameAncestors));
}

export function consoleRoutes(app: FastifyInstance, folder: string, sendPage: SendConsolePage): void {
  for (const path of PAGE_PATHS) app.get(path, hidden, (request, reply) => sendPage(request, reply));
  const names = listAssets(folder);
  app.get('/assets/:name', hidden, async (request, reply) => {
    const { name } = request.params as { name: string };
    const type = CONTENT_TYPES[extname(name)];
    if (type === undefined || !names.has(name)) throw notFound();
    const encoding = chooseEncoding(request, names, name);
    const file = join(folder, 'assets', encoding === null ? name : `${name}.${encoding.extension}`);
    // Replaced by a newer build: the page that refers to it is reloaded.
    const content = await readFile(file).catch(() => Promise.reject(notFound()));
    if (encoding) reply.header('content-encoding', encoding.name);
    return reply
      .headers({ ...HEADERS, 'content-type': type, 'cache-control': CACHE_FOREVER, vary: 'Accept-Encoding' })
      .send(content);
  });
}

interface ConsolePage {
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

function readPage(folder: string, publicUrl: string | null): ConsolePage | null {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8').replace(
    /(<meta name="cairn-public-url" content=")"/,
    (_, start: string) => `${start}${escapeAttribute(publicUrl ?? '')}"`,
  );
  const plain = Buffer.from(text);
  return { plain, gzipped: gzipSync(plain), etag: `"${digest(plain).slice(0, 32)}"` };
}

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The page is requested each time, so that an upgrade is seen at once; the files it refers to never change. */
async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: ConsolePage | null,
  contentPolicy: string,
): Promise<FastifyReply> {
  if (page === null) throw notFound('The console is not built. Run `npm run build`, and start again.');
  reply.headers({
    ...HEADERS,
    'content-security-policy': contentPolicy,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': reply.getHeader('cache-control') ?? 'no-cache',
    etag: page.etag,
    vary: 'Accept-Encoding',
  });
  if (reply.statusCode === 200 && isNotModified(request, page.etag)) return reply.code(304).send();
  if (!acceptsEncoding(request, 'gzip')) return reply.send(page.plain);
  return reply.header('content-encoding', 'gzip').send(page.gzipped);
}

const listAssets = (folder: string): ReadonlySet<string> =>
  new Set(existsSync(join(folder, 'assets')) ? readdirSync(join(folder, 'assets')) : []);

/** Compressed when the console was built, the smaller first. */
const ENCODINGS = [
  { name: 'br', extension: 'br' },
  { name: 'gzip', extension: 'gz' },
] as const;

const chooseEncoding = (request: FastifyRequest, names: ReadonlySet<string>, name: string) =>
  ENCODINGS.find((encoding) => acceptsEncoding(request, encoding.name) && names.has(`${name}.${encoding.extension}`)) ??
  null;
