/** The one way to the server. The session travels in a cookie that scripts cannot read; browsers add the Origin that
 * the server holds against forged requests. */
import { ApiError, isAbort } from './api-error.ts';

export type QueryValue = string | number | boolean | null | undefined | readonly string[];
export type Query = Readonly<Record<string, QueryValue>>;

export interface RequestOptions {
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Told when an answer says that nobody is signed in; the shell shows the sign-in page then. */
let onSessionEnd: () => void = () => undefined;
export const whenSessionEnds = (listener: () => void): void => {
  onSessionEnd = listener;
};

/** Sends and reads JSON; 204 gives undefined. Throws an `ApiError`, or an abort as it is. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text().catch((error: unknown) => fail(error));
  const answer = readJson(text);
  if (response.ok) return answer as T;
  if (response.status === 401) onSessionEnd();
  throw toError(response, answer);
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  request<T>('GET', path, { ...(query && { query }), signal });
export const post = <T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> =>
  request<T>('POST', path, { body, signal });
export const patch = <T>(path: string, body: unknown): Promise<T> => request<T>('PATCH', path, { body });
export const remove = (path: string, query?: Query): Promise<void> =>
  request('DELETE', path, { ...(query && { query }) });

/** `/api/projects/1/events/`, with names escaped: projectPath(1, 'events', uuid). */
export const projectPath = (projectId: number, ...parts: (string | number)[]): string =>
  `/api/projects/${projectId}/${parts.map((part) => `${encodeURIComponent(part)}/`).join('')}`;

/** Absent values are left out; lists are repeated. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function send(method: Method, path: string, { query, body, signal }: RequestOptions): Promise<Response> {
  try {
    return await fetch(withQuery(path, query), {
      method,
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): never {
  if (isAbort(error)) throw error;
  throw new ApiError('The server did not answer. Check that it runs and that you are online, then try again.', {
    status: 0,
    code: 'unreachable',
  });
}

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toError(response: Response, answer: unknown): ApiError {
  const { detail, code, attr } = (answer ?? {}) as { detail?: unknown; code?: unknown; attr?: unknown };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(typeof detail === 'string' ? detail : `The server answered ${response.status}.`, {
    status: response.status,
    ...(typeof code === 'string' ? { code } : {}),
    attr: typeof attr === 'string' ? attr : null,
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
  });
}
