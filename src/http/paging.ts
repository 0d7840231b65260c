/** Limit and offset, and the envelope that every list comes in. */

import type { FastifyRequest } from 'fastify';
import { Failure, invalid } from '../core/errors.ts';
import type { Page, Paged } from '../stores/metadata/page.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** One query parameter as text; the last one counts where it is given twice. */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

function positiveInteger(text: string | undefined): number | null {
  const number = Number(text);
  return text !== undefined && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** A limit or offset that makes no sense counts as absent. */
export function readPage(query: Query): Page {
  return {
    limit: Math.min(positiveInteger(queryText(query, 'limit')) ?? DEFAULT_LIMIT, MAX_LIMIT),
    offset: positiveInteger(queryText(query, 'offset')) ?? 0,
  };
}

interface Envelope<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

export function envelope<T, R>(url: URL, page: Page, paged: Paged<T>, present: (item: T) => R): Envelope<R> {
  const { limit, offset } = page;
  return {
    count: paged.count,
    next: offset + limit < paged.count ? withQuery(url, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? withQuery(url, { limit, offset: offset > limit ? offset - limit : null }) : null,
    results: paged.items.map(present),
  };
}

/** The same address with some query parameters replaced (null removes one), keys in alphabetical order. */
export function withQuery(url: URL, changes: Record<string, number | string | null>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, String(value));
  }
  next.searchParams.sort();
  return next.toString();
}

/** The page of an activity list: pages are counted from 1 there. */
export function readActivityPage(query: Query): Page & { number: number } {
  const limit = Math.min(positiveInteger(queryText(query, 'limit')) ?? 10, MAX_LIMIT);
  const number = positiveInteger(queryText(query, 'page')) ?? 1;
  // A page so far out that its offset is no longer a whole number holds nothing either way.
  return { limit, number, offset: Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/**
 * The address that the caller used, as seen from outside. Path and host are joined as text: resolving one against the
 * other would let a path such as `//elsewhere/` choose the host. A Host header that is no host counts as absent.
 */
export function requestUrl(request: FastifyRequest, publicUrl: string | null): URL {
  const origin = publicUrl ?? `${request.protocol}://${request.host || 'localhost'}`;
  const base = URL.canParse(origin) ? origin : `${request.protocol}://localhost`;
  return new URL(`${base}${request.url}`);
}

/** A JSON list of texts; undefined when absent. */
export function readStringList(query: Query, name: string): string[] | undefined {
  const text = queryText(query, name);
  if (!text) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list.map(String);
  } catch (cause) {
    throw new Failure('invalid', 'Expected a JSON list of names.', { attr: name, cause });
  }
  throw invalid(name, 'Expected a JSON list of names.');
}
