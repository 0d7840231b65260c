import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Reads a live stream until enough has come. */
class Listener {
  text = '';
  ended = false;
  readonly #abort = new AbortController();
  readonly response: Promise<Response>;

  constructor(url: string, key: string) {
    this.response = fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: this.#abort.signal });
    void this.#read();
  }

  async until(isEnough: () => boolean): Promise<void> {
    for (let i = 0; i < 500 && !isEnough(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isEnough()).toBe(true);
  }

  get names(): string[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).event);
  }

  leave(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    try {
      const { body } = await this.response;
      for await (const chunk of body ?? []) this.text += Buffer.from(chunk).toString();
    } catch {
      // Left.
    }
    this.ended = true;
  }
}

describe('live events', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  const listen = async (query = ''): Promise<Listener> => {
    const url = `${server.url}/api/projects/${server.projectId}/events/live/${query}`;
    const listener = new Listener(url, server.personalKey);
    await listener.until(() => listener.text.includes(': watching'));
    return listener;
  };

  it('are those of this project, as they are stored', async () => {
    const listener = await listen();
    const { headers, status } = await listener.response;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const other = await server.createProject();
    await capture(server, other.projectKey, [{ event: 'theirs' }]);
    await capture(server, server.projectKey, [
      { event: 'mine', uuid: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', properties: { text: 'two\nlines' } },
    ]);
    await listener.until(() => listener.names.length > 0);
    expect(listener.names).toEqual(['mine']);
    const [, data = ''] = /^data: (.*)$/m.exec(listener.text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
      distinct_id: 'ada',
      timestamp: '2026-01-15T12:00:00+00:00',
      properties: { text: 'two\nlines' },
    });
    listener.leave();
  });

  it('can be filtered by name and distinct id', async () => {
    const byName = await listen('?event=buy');
    const byId = await listen('?distinct_id=bob');
    await capture(server, server.projectKey, [
      { event: 'buy' },
      { event: 'look', distinct_id: 'bob' },
      { event: 'look' },
      { event: 'buy', distinct_id: 'bob' },
    ]);
    await byName.until(() => byName.names.length === 2);
    await byId.until(() => byId.names.length === 2);
    expect([byName.names, byId.names]).toEqual([
      ['buy', 'buy'],
      ['look', 'buy'],
    ]);
  });

  it('end when the server stops', async () => {
    const listener = await listen();
    const other = await listen();
    const began = performance.now();
    await server.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    await listener.until(() => listener.ended);
    await other.until(() => other.ended);
    server = await startServer();
  });

  it('continue for others when one client disconnects', async () => {
    const [leaving, staying] = [await listen(), await listen()];
    leaving.leave();
    await leaving.until(() => leaving.ended);
    await capture(server, server.projectKey, [{ event: 'later' }]);
    await staying.until(() => staying.names.includes('later'));
  });

  it('need access to the project', async () => {
    const path = `/api/projects/${server.projectId}/events/live/`;
    expect((await clientFor(server).get(path, { key: null })).status).toBe(401);
    const stranger = await server.createProject({ foreign: true });
    expect((await clientFor(server).get(path, { key: stranger.personalKey })).status).toBe(404);
  });
});

it('one organization gets a quarter of the live streams', async () => {
  const server = await startServer({ config: { maxLiveStreams: 4 } });
  const stranger = await server.createProject({ foreign: true });
  const open = async (projectId: number, key: string): Promise<Listener> => {
    const listener = new Listener(`${server.url}/api/projects/${projectId}/events/live/`, key);
    await listener.response;
    return listener;
  };
  const first = await open(server.projectId, server.personalKey);
  expect((await first.response).status).toBe(200);
  const refused = await (await open(server.projectId, server.personalKey)).response;
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
  const theirs = await open(stranger.projectId, stranger.personalKey);
  expect((await theirs.response).status).toBe(200);
  first.leave();
  await first.until(() => first.ended);
  await vi.waitFor(async () => {
    const again = await open(server.projectId, server.personalKey);
    expect((await again.response).status).toBe(200);
  });
  await server.close();
});
