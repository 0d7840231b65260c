/** Requests of SDKs that cannot run here, replayed byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, send } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { go } from './recorded/go.ts';
import { java } from './recorded/java.ts';
import { android2, android3, flutter, ios } from './recorded/mobile.ts';
import { php } from './recorded/php.ts';
import { python1, python3, python7 } from './recorded/python.ts';
import { bytesOf, NOW, type RecordedRequest, WORDS } from './recorded/recorded.ts';
import { ruby } from './recorded/ruby.ts';
import { makeWorld, onlyEvent, type World } from './support/world.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ now: NOW });
});
afterAll(() => server.close());

function replay({ projectKey, personalKey }: World, request: RecordedRequest): Promise<RawAnswer> {
  const fill = (text: string): string => text.replaceAll('KEY', projectKey).replaceAll('PERSONAL', personalKey);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, fill(value)]));
  return send(server.url, fill(request.path), {
    method: request.method ?? 'POST',
    headers,
    body: bytesOf(request, fill),
  });
}

describe.each([python1, python3, python7, go, ruby, php, java, android2, android3, flutter, ios])('$name', (sdk) => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld(server);
  });
  afterAll(() => world.close());

  it('has its events stored as it means them', async () => {
    const answer = await replay(world, sdk.upload);
    expect([answer.status, answer.json]).toEqual([200, sdk.upload.needs]);
    const events = await world.events();
    expect(
      Object.fromEntries(events.map(({ event, timestamp }) => [event, new Date(timestamp).toISOString()])),
    ).toEqual(Object.fromEntries(Object.entries(sdk.events).map(([name, time]) => [name, `2026-01-15T${time}Z`])));
    expect(onlyEvent(events, 'visited').properties).toMatchObject({ words: WORDS });
    const ada = await world.person('ada');
    expect(ada?.properties).toMatchObject(sdk.person);
    expect(ada?.distinct_ids.toSorted()).toEqual(sdk.ids);
    expect(await world.group('a1')).toEqual(sdk.group);
  });

  it(
    sdk.isKnownAgain ? 'is stored once when it sends them again' : 'is stored twice when it sends them again',
    async () => {
      const before = (await world.events()).length;
      expect((await replay(world, sdk.upload)).status).toBe(200);
      expect(await world.events()).toHaveLength(sdk.isKnownAgain ? before : 2 * before);
    },
  );

  it.each(sdk.questions.map((question) => [`${question.method ?? 'POST'} ${question.path}`, question] as const))(
    'gets what it needs from %s',
    async (_name, question) => {
      const answer = await replay(world, question);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject(question.needs);
    },
  );
});
