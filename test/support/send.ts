/** Sends raw HTTP requests: unlike `fetch`, any body with any method, and it reads early responses. */
import { request } from 'node:http';

export interface Sent {
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer | string | null;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
  json: any;
}

export function send(url: string, path: string, sent: Sent = {}): Promise<RawAnswer> {
  const { method = 'POST', query = {}, headers = {}, body = null } = sent;
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return new Promise((resolve, reject) => {
    const outgoing = request(target, {
      method,
      agent: false,
      headers: { ...(bytes === null ? {} : { 'content-length': bytes.length }), ...headers },
    });
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = response.headers['content-type']?.includes('json') ?? false;
        const json = isJson && text !== '' ? JSON.parse(text) : null;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(bytes ?? undefined);
  });
}

/** The usual way: JSON in a POST. */
export const sendJson = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(url, path, { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
