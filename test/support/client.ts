import type { TestProject } from './server.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
  body: any;
  headers: Headers;
}

export interface CallOptions {
  /** A personal key, or null for none at all. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls the private API the way a user would: JSON in, JSON out. */
export async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { key = 'phx_test_personal_key', body, headers = {} } = options;
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type') ?? '';
  // A live stream never ends: that it began is all there is to know.
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, body: '', headers: response.headers };
  }
  const text = await response.text();
  const isJson = type.includes('json');
  return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text, headers: response.headers };
}

/** The same, bound to one server and one key. */
export const clientFor = (server: { url: string } & Pick<TestProject, 'personalKey'>) => {
  const bound =
    (method: string) =>
    (path: string, options: CallOptions = {}): Promise<Answer> =>
      call(server.url, method, path, { key: server.personalKey, ...options });
  return { get: bound('GET'), post: bound('POST'), patch: bound('PATCH'), put: bound('PUT'), delete: bound('DELETE') };
};
