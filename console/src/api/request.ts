/**
 * Every request to the server goes through here. The session is a cookie that scripts cannot read; the browser adds the
 * Origin header, which the server checks against forged requests.
 */
import { ApiError, isAbort } from './api-error.ts';
import { parseWithPayloads } from './payload-numbers.ts';

type QueryValue = string | number | boolean | null | undefined | readonly string[];
export type Query = Readonly<Record<string, QueryValue>>;

interface RequestOptions {
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** JSON that is sent as it is, instead of a body. */
  json?: string;
  signal?: AbortSignal | undefined;
  headers?: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Called on a 401, so that the shell can show the sign-in page. */
let sessionEndListener: () => void = () => undefined;
export const onSessionEnd = (listener: () => void): void => {
  sessionEndListener = listener;
};

/** One page of a list. */
export interface Paged<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

/** Sends and reads JSON; a 204 gives undefined. Throws an `ApiError`; an abort is passed on unchanged. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text().catch((error: unknown) => fail(error));
  const answer = readJson(text);
  if (response.ok) return answer as T;
  if (response.status === 401) sessionEndListener();
  throw toError(response, answer);
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  request<T>('GET', path, { ...(query && { query }), signal });
export const post = <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> =>
  request<T>('POST', path, { body, signal });
export const patch = <T>(path: string, body: unknown): Promise<T> => request<T>('PATCH', path, { body });
export const remove = <T = void>(path: string, query?: Query): Promise<T> =>
  request<T>('DELETE', path, { ...(query && { query }) });

/** projectPath(1, 'events', uuid) is `/api/projects/1/events/<uuid>/`, escaped. */
export const projectPath = (projectId: number, ...parts: (string | number)[]): string =>
  `/api/projects/${projectId}/${parts.map((part) => `${encodeURIComponent(part)}/`).join('')}`;

/** Empty values are left out; lists repeat the parameter. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function send(method: Method, path: string, options: RequestOptions): Promise<Response> {
  const { query, body, signal, headers = {} } = options;
  const json = options.json ?? (body === undefined ? undefined : JSON.stringify(body));
  try {
    return await fetch(withQuery(path, query), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: json }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiError('Could not reach the server. Check that it is running and that you are online, then try again.', {
    status: 0,
    code: 'unreachable',
  });
}

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : parseWithPayloads(text);
  } catch {
    return undefined;
  }
}

function toError(response: Response, answer: unknown): ApiError {
  const { detail, code, attr, change_request_id: request } = (answer ?? {}) as Record<string, unknown>;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(typeof detail === 'string' ? detail : `The server responded with status ${response.status}.`, {
    status: response.status,
    ...(typeof code === 'string' ? { code } : {}),
    attr: typeof attr === 'string' ? attr : null,
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
    ...(typeof request === 'string' ? { changeRequest: request } : {}),
  });
}
