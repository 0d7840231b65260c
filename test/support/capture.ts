import type { TestServer } from './server.ts';

/** An event as SDKs send it. */
export interface SentEvent {
  event?: string;
  distinct_id?: string;
  uuid?: string;
  timestamp?: string;
  properties?: Record<string, unknown>;
  [field: string]: unknown;
}

/** Creates a group. */
export const A_GROUP: SentEvent = {
  event: '$groupidentify',
  properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan: 'pro' } },
};

/** Sends events as one batch and waits until they are visible. */
export async function capture(
  server: Pick<TestServer, 'url' | 'drain'>,
  key: string,
  events: readonly SentEvent[],
): Promise<void> {
  const batch = events.map((event) => ({ event: 'ping', distinct_id: 'ada', ...event }));
  const response = await fetch(new URL('/batch/', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: key, batch }),
  });
  if (response.status !== 200) throw new Error(`Capture answered ${response.status}: ${await response.text()}`);
  await server.drain();
}
