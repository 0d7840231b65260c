/** Asking, changing, voting and waiting in any order: the server agrees with a model of a few lines. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const flags = '/api/projects/1/feature_flags/';
const requests = '/api/projects/1/change_requests/';
const START_MS = Date.parse('2026-01-15T12:00:00Z');
const HOUR_MS = 3_600_000;
const EXPIRES_HOURS = 24;
const QUORUM = 2;
type Client = ReturnType<typeof clientFor>;
/** Two parts of a flag that can change without touching each other. */
type Part = 'rollout' | 'runtime';

const VALUES = { rollout: [10, 50, 90], runtime: ['all', 'client', 'server'] } as const;
const bodyOf = (part: Part, value: unknown): object =>
  part === 'runtime'
    ? { evaluation_runtime: value }
    : { filters: { groups: [{ properties: [], rollout_percentage: value }] } };

let server: TestServer;
let owner: Client;
let dev: Client;
let voters: Client[];

beforeAll(async () => {
  server = await startServer();
  owner = clientFor(server);
  const member = async (email: string, level?: number) =>
    clientFor({ url: server.url, personalKey: (await addMember(server, email, level)).personalKey });
  dev = await member('dev@example.org');
  voters = [await member('lead@example.org', 8), await member('second@example.org', 8)];
  const body = {
    action_key: 'feature_flag.update',
    approver_config: { quorum: QUORUM },
    bypass_org_membership_levels: ['15'],
    expires_after: '1 00:00:00',
  };
  expect((await owner.post('/api/projects/1/approval_policies/', { body })).status).toBe(201);
});
afterAll(() => server.close());

interface ModelRequest {
  id: string;
  part: Part;
  to: unknown;
  base: number;
  votes: Set<number>;
  state: 'pending' | 'stale' | 'applied';
  expires: number;
}

interface Model {
  values: Record<Part, unknown>;
  version: number;
  hours: number;
  requests: ModelRequest[];
}

const isOpen = ({ state, expires }: ModelRequest, { hours }: Model): boolean => state === 'pending' && hours < expires;

/** What a change that was made does to the flag, and to the requests that wait. */
function changeModel(model: Model, part: Part, value: unknown): void {
  // What changes nothing makes no version, and starts no approvals again.
  if (model.values[part] === value) return;
  model.values[part] = value;
  model.version++;
  for (const request of model.requests.filter(({ state }) => state === 'pending')) {
    if (request.part === part) request.state = 'stale';
    else {
      request.votes.clear();
      request.base = model.version;
    }
  }
}

type Command = (model: Model, flag: number) => Promise<void>;

const ask =
  (part: Part, value: unknown): Command =>
  async (model, flag) => {
    const { status, body } = await dev.patch(`${flags}${flag}/`, { body: bodyOf(part, value) });
    if (model.values[part] === value) {
      expect(status).toBe(200);
      return changeModel(model, part, value);
    }
    expect([status, body.code]).toEqual([409, 'approval_required']);
    const known = model.requests.find(
      (one) => isOpen(one, model) && one.part === part && one.to === value && one.base === model.version,
    );
    if (known) return expect(body.change_request_id).toBe(known.id);
    expect(model.requests.map(({ id }) => id)).not.toContain(body.change_request_id);
    const expires = model.hours + EXPIRES_HOURS;
    const fresh = { part, to: value, base: model.version, votes: new Set<number>(), expires } as const;
    model.requests.push({ ...fresh, id: body.change_request_id, state: 'pending' });
  };

const change =
  (part: Part, value: unknown): Command =>
  async (model, flag) => {
    expect((await owner.patch(`${flags}${flag}/`, { body: bodyOf(part, value) })).status).toBe(200);
    changeModel(model, part, value);
  };

const vote =
  (voter: number, pick: number): Command =>
  async (model) => {
    const request = model.requests[pick % Math.max(1, model.requests.length)];
    const client = voters[voter];
    if (!request || !client) return;
    const { status, body } = await client.post(`${requests}${request.id}/approve/`, { body: {} });
    const answered = [status, body.code ?? body.status];
    if (request.votes.has(voter)) return expect(answered).toEqual([400, 'already_voted']);
    if (request.state === 'applied') return expect(answered).toEqual([409, 'not_pending']);
    if (model.hours >= request.expires) return expect(answered).toEqual([409, 'expired']);
    if (request.state === 'stale') return expect(answered).toEqual([409, 'stale']);
    request.votes.add(voter);
    const isLast = request.votes.size === QUORUM;
    expect(answered).toEqual([200, isLast ? 'applied' : 'pending']);
    if (!isLast) return;
    request.state = 'applied';
    changeModel(model, request.part, request.to);
  };

const wait =
  (hours: number): Command =>
  async (model) => {
    model.hours += hours;
    server.setNow(new Date(START_MS + model.hours * HOUR_MS).toISOString());
  };

async function agree(model: Model, flag: number): Promise<void> {
  const { body } = await owner.get(`${flags}${flag}/`);
  expect({
    rollout: body.filters.groups[0].rollout_percentage,
    runtime: body.evaluation_runtime,
    version: body.version,
  }).toEqual({ ...model.values, version: model.version });
  const { results } = (await owner.get(`${requests}?resource_id=${flag}`)).body;
  const shown = Object.fromEntries(
    results.map((one: { id: string; state: string; validation_status: string; approvals: unknown[] }) => [
      one.id,
      [one.state === 'pending' && one.validation_status === 'stale' ? 'stale' : one.state, one.approvals.length],
    ]),
  );
  const expected = model.requests.map((one) => {
    const isExpired = one.state !== 'applied' && model.hours >= one.expires;
    return [one.id, [isExpired ? 'expired' : one.state, one.votes.size]];
  });
  expect(shown).toEqual(Object.fromEntries(expected));
}

const parts = fc.constantFrom<Part>('rollout', 'runtime');
const partAndValue = parts.chain((part) => fc.tuple(fc.constant(part), fc.constantFrom(...VALUES[part])));
const command = fc.oneof(
  {
    weight: 3,
    arbitrary: partAndValue.map(([part, value]) => ({ name: `ask ${part} ${value}`, run: ask(part, value) })),
  },
  {
    weight: 2,
    arbitrary: partAndValue.map(([part, value]) => ({ name: `change ${part} ${value}`, run: change(part, value) })),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(1), fc.nat(5))
      .map(([voter, pick]) => ({ name: `vote ${voter} ${pick}`, run: vote(voter, pick) })),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 23).map((hours) => ({ name: `wait ${hours}`, run: wait(hours) })) },
);

let flagsMade = 0;
it('agrees with the model after every step', async () => {
  let hours = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      const body = { key: `model-${++flagsMade}`, active: false, ...bodyOf('rollout', 10) };
      const { id } = (await owner.post(flags, { body })).body;
      const model: Model = { values: { rollout: 10, runtime: 'all' }, version: 1, hours, requests: [] };
      for (const { run } of commands) {
        await run(model, id);
        await agree(model, id);
      }
      hours = model.hours;
    }),
    { numRuns: 20 },
  );
});
