/**
 * The web console: files that were built beforehand (dist/console/), and one page for every address that the console
 * knows by itself. The list of files is made once, at the start: no path from a request ever reaches the file system.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../core/errors.ts';
import { digest } from '../lib/secrets.ts';
import { CACHE_FOREVER, isNotModified } from './send-script.ts';

interface ConsoleOptions {
  /** Where the built console lies; it need not be there. */
  folder: string;
  /** Put into snippets; null: the address that the page was loaded from. */
  publicUrl: string | null;
}

/** Addresses that the console answers; the page decides what to show. `console/src/routes.ts` stays below these. */
const PAGE_PATHS = ['/', '/login', '/setup', '/account', '/status', '/project/*', '/organization/*'];

/** Only our own files, nothing inline, in nobody's frame; and no text ever becomes HTML. */
const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // The set-up link is a secret, and must not travel on.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'application/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const hidden = { schema: { hide: true }, logLevel: 'warn' } as const;

export function consoleRoutes(app: FastifyInstance, { folder, publicUrl }: ConsoleOptions): void {
  const page = readPage(folder, publicUrl);
  for (const place of PAGE_PATHS) app.get(place, hidden, (request, reply) => sendPage(request, reply, page));
  const names = listAssets(folder);
  app.get('/assets/:name', hidden, async (request, reply) => {
    const { name } = request.params as { name: string };
    const type = CONTENT_TYPES[extname(name)];
    if (type === undefined || !names.has(name)) throw notFound();
    const packing = chooseEncoding(request, names, name);
    const file = join(folder, 'assets', packing === null ? name : `${name}.${packing.ending}`);
    // A newer build has taken its place: the page that names it is reloaded.
    const content = await readFile(file).catch(() => Promise.reject(notFound()));
    if (packing) reply.header('content-encoding', packing.name);
    return reply
      .headers({ ...HEADERS, 'content-type': type, 'cache-control': CACHE_FOREVER, vary: 'Accept-Encoding' })
      .send(content);
  });
}

interface ConsolePage {
  plain: Buffer;
  packed: Buffer;
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
  return { plain, packed: gzipSync(plain), etag: `"${digest(plain).slice(0, 32)}"` };
}

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The page itself is asked for anew each time, so that an upgrade is seen at once; what it names never changes. */
async function sendPage(request: FastifyRequest, reply: FastifyReply, page: ConsolePage | null): Promise<FastifyReply> {
  if (page === null) throw notFound('The console is not built. Run `npm run build`, and start again.');
  reply.headers({
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    etag: page.etag,
    vary: 'Accept-Encoding',
  });
  if (isNotModified(request, page.etag)) return reply.code(304).send();
  if (!accepts(request, 'gzip')) return reply.send(page.plain);
  return reply.header('content-encoding', 'gzip').send(page.packed);
}

const listAssets = (folder: string): ReadonlySet<string> =>
  new Set(existsSync(join(folder, 'assets')) ? readdirSync(join(folder, 'assets')) : []);

/** Packed when the console was built, the smaller first. */
const ENCODINGS = [
  { name: 'br', ending: 'br' },
  { name: 'gzip', ending: 'gz' },
] as const;

const accepts = (request: FastifyRequest, packing: string): boolean =>
  new RegExp(`\\b${packing}\\b`).test(request.headers['accept-encoding'] ?? '');

const chooseEncoding = (request: FastifyRequest, names: ReadonlySet<string>, name: string) =>
  ENCODINGS.find((packing) => accepts(request, packing.name) && names.has(`${name}.${packing.ending}`)) ?? null;
