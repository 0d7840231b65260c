/** How a relay asks its server, over HTTP. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aCohort, aFlag, everybody, those } from '../../../test/contract/flag-builders.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { requestFor } from '../../features/flags/decide/decide-request.ts';
import { buildSnapshot, type FlagSnapshot } from '../../features/flags/decide/flag-snapshots.ts';
import { openLog } from '../../lib/log.ts';
import { AskUpstream } from './ask-upstream.ts';
import { Upstream } from './upstream.ts';

const inCohort = { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 1 }] }] };
const snapshot: FlagSnapshot = buildSnapshot({
  flags: [
    { id: 1, ...aFlag(1, { key: 'beta', filters: inCohort }) },
    { id: 2, ...aFlag(1, { key: 'all', filters: everybody(50) }) },
    { id: 3, ...aFlag(1, { key: 'pro', filters: those('plan', 'pro') }) },
  ],
  cohorts: [{ id: 1, ...aCohort(1, { isStatic: true }) }],
  groupTypes: new Map(),
});

let server: Server;
let upstream: Upstream;
let asking: AskUpstream;
let now: number;
/** What was asked, and how it is answered. */
let asked: JsonObject[];
let answer: (question: JsonObject, response: ServerResponse) => void;

const sayOn = (question: JsonObject, response: ServerResponse): void => {
  const flag = { key: 'beta', enabled: true, reason: { code: 'condition_match' }, metadata: { id: 1, version: 1 } };
  response.end(JSON.stringify({ flags: { beta: flag }, errorsWhileComputingFlags: false, question }));
};

beforeEach(async () => {
  now = Date.parse('2026-01-15T12:00:00Z');
  asked = [];
  answer = sayOn;
  server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const question = JSON.parse(Buffer.concat(parts).toString());
      asked.push(question);
      answer(question, response);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  upstream = new Upstream({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'phs_key' });
  asking = new AskUpstream({ upstream, clock: { now: () => now }, log: openLog('silent') });
});
afterEach(() => {
  upstream.close();
  server.closeAllConnections();
  server.close();
});

const ask = async (distinctId: string, more: Parameters<typeof requestFor>[1] = {}) => {
  const decision = await asking.ask(1, snapshot, requestFor(distinctId, more));
  return decision?.evaluations.map(({ key, value }) => [key, value]);
};

it('asks once for the same request, and again after a minute', async () => {
  expect(await Promise.all([ask('ada'), ask('ada'), ask('ada')])).toEqual(Array(3).fill([['beta', true]]));
  await ask('ada');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ token: 'phs_key', distinct_id: 'ada', geoip_disable: true });
  now += 60_000;
  await ask('ada');
  expect(asked).toHaveLength(2);
});

it('does not ask for flags that depend on nothing stored', async () => {
  expect(asking.ask(1, snapshot, requestFor('ada', { flagKeys: new Set(['all', 'none']) }))).toBeUndefined();
  const plan = { flagKeys: new Set(['pro']), personProperties: { plan: 'pro' } };
  expect(asking.ask(1, snapshot, requestFor('ada', plan))).toBeUndefined();
  await ask('ada', { flagKeys: new Set(['pro']) });
  await ask('ada', { flagKeys: new Set(['all', 'beta']) });
  expect(asked.map(({ flag_keys }) => flag_keys)).toEqual([['pro'], ['all', 'beta']]);
});

it('a request that the server refuses does not keep others from being asked for', async () => {
  answer = (question, response) => {
    if (question['distinct_id'] === 'bad') response.writeHead(400).end('{}');
    else sayOn(question, response);
  };
  expect(await ask('bad')).toBeUndefined();
  expect(await ask('ada')).toEqual([['beta', true]]);
});

it('while the server does not answer, it is asked once a second, and its last answers hold for an hour', async () => {
  await ask('ada');
  answer = (_question, response) => response.writeHead(503).end('{}');
  now += 60_000;
  expect(await ask('ada')).toEqual([['beta', true]]);
  expect(await ask('bo')).toBeUndefined();
  expect(await ask('cy')).toBeUndefined();
  expect(asked.map(({ distinct_id }) => distinct_id)).toEqual(['ada', 'ada']);
  now += 1000;
  expect(await ask('bo')).toBeUndefined();
  expect(asked).toHaveLength(3);
  now += 3_600_000;
  expect(await ask('ada')).toBeUndefined();
});

it('asks for a limited number of requests at a time; others are as when the server is away', async () => {
  const held: (() => void)[] = [];
  answer = (question, response) => held.push(() => sayOn(question, response));
  const first = Array.from({ length: 500 }, (_, n) => ask(`user-${n}`));
  expect(await ask('one too many')).toBeUndefined();
  const release = setInterval(() => {
    for (const go of held.splice(0)) go();
  }, 1);
  expect(await Promise.all(first)).toEqual(Array(500).fill([['beta', true]]));
  expect(await ask('one too many')).toEqual([['beta', true]]);
  clearInterval(release);
});
