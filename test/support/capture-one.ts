import type { TestServer } from './server.ts';

/** Sends one ordinary event and waits until it can be read: so that there is something to look at. */
export async function captureOne(server: TestServer): Promise<void> {
  const body = { api_key: server.projectKey, event: 'seen', distinct_id: 'somebody', properties: { plan: 'free' } };
  const response = await fetch(`${server.url}/capture/`, { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`capture answered ${response.status}: ${await response.text()}`);
  await server.drain();
}
