/** Limit and offset, and the envelope of lists. */

import type { FastifyRequest } from 'fastify';
import { Failure, invalid } from '../core/errors.ts';
import { parseExact } from '../core/json/exact-json.ts';
import type { Page, Paged } from '../stores/metadata/page.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** One query parameter; of several with one name the last counts. */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/** Every value of a query parameter that may be repeated; axios and PHP add brackets to its name. */
export const queryTexts = (query: Query, name: string): string[] =>
  [query[name] ?? [], query[`${name}[]`] ?? []].flat();

/** A query parameter that is one of a few; undefined where it is absent or empty. */
export function queryChoice<T extends string>(query: Query, name: string, allowed: readonly T[]): T | undefined {
  const text = queryText(query, name);
  if (!text) return undefined;
  const chosen = allowed.find((one) => one === text);
  if (chosen === undefined) throw invalid(name, `${name} is one of ${allowed.join(', ')}.`, 'invalid_choice');
  return chosen;
}

function positiveInteger(text: string | undefined): number | null {
  const number = Number(text);
  return text !== undefined && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** An invalid limit or offset counts as absent. */
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

/** Personal and secret keys; a project key is public, and old clients name the project by it. */
const isSecretParameter = ([name, value]: [string, string]): boolean =>
  name === 'personal_api_key' || /^ph[xs]_/.test(value);

/** For lists that are short enough to be read whole. */
export function pageByName<T extends { name: string | null }>(all: readonly T[], search: string, page: Page): Paged<T> {
  const wanted = search.toLowerCase();
  const found = all.filter(({ name }) => name?.toLowerCase().includes(wanted));
  return { count: found.length, items: found.slice(page.offset, page.offset + page.limit) };
}

/**
 * The same URL with some query parameters replaced (null removes one), sorted. Without secret keys: links end up in logs
 * and in what people share, and clients send their key with each request anyway.
 */
export function withQuery(url: URL, changes: Record<string, number | string | null>): string {
  const next = new URL(url);
  for (const [name] of [...next.searchParams].filter(isSecretParameter)) next.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, String(value));
  }
  next.searchParams.sort();
  return next.toString();
}

/** Activity lists count pages from 1. */
export function readActivityPage(query: Query): Page & { number: number } {
  const limit = Math.min(positiveInteger(queryText(query, 'limit')) ?? 10, MAX_LIMIT);
  const number = positiveInteger(queryText(query, 'page')) ?? 1;
  // Beyond this the page is empty either way.
  return { limit, number, offset: Math.min((number - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/**
 * The URL that the caller used. Path and host are joined as text: resolving one against the other would let a path such
 * as `//elsewhere/` choose the host. An invalid Host header counts as absent.
 */
export function requestUrl(request: FastifyRequest, publicUrl: string | null): URL {
  const origin = publicUrl ?? `${request.protocol}://${request.host || 'localhost'}`;
  const base = URL.canParse(origin) ? origin : `${request.protocol}://localhost`;
  return new URL(`${base}${request.url}`);
}

/** A JSON list of strings; undefined when absent. */
export function readStringList(query: Query, name: string): string[] | undefined {
  const text = queryText(query, name);
  if (!text) return undefined;
  try {
    const list: unknown = parseExact(text);
    if (Array.isArray(list)) return list.map(String);
  } catch (cause) {
    throw new Failure('invalid', 'Expected a JSON list of names.', { attr: name, cause });
  }
  throw invalid(name, 'Expected a JSON list of names.');
}
