/**
 * Whether an address has an account is not told by time. Requests for known and unknown addresses alternate, and their
 * medians are compared with a wide bound: leaving out the hash of a password would be twenty times as fast. For a t-test
 * over more: `TIMING_ROUNDS=1000 TESTS=security npx vitest run test/accounts/timing.test.ts`, on an idle machine.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ROUNDS = Number(process.env['TIMING_ROUNDS'] ?? 0);
/** Between the medians, in either direction. */
const MAX_RATIO = 2;
const KNOWN = 'ada@example.org';
const UNKNOWN = 'eve@example.org';

let server: TestServer;
let mail: MailServer;
let client: ReturnType<typeof clientFor>;

beforeAll(async () => {
  mail = await startMailServer();
  server = await startServer({ config: { ...mail.config, publicUrl: 'https://cairn.example.org' } });
  client = clientFor(server);
  await addMember(server, KNOWN);
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

interface Timed {
  known: number[];
  unknown: number[];
}

async function timeBoth(rounds: number, request: (email: string) => Promise<number>, status: number): Promise<Timed> {
  const times: Timed = { known: [], unknown: [] };
  for (let round = -3; round < rounds; round++) {
    // Whichever comes first may find a busier machine.
    const order = round % 2 === 0 ? ([KNOWN, UNKNOWN] as const) : ([UNKNOWN, KNOWN] as const);
    for (const email of order) {
      await server.tamper('delete from throttles');
      const began = performance.now();
      expect(await request(email)).toBe(status);
      // The first ones warm up.
      if (round >= 0) times[email === KNOWN ? 'known' : 'unknown'].push(performance.now() - began);
    }
  }
  return times;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
const squaredError = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + (one - mean(values)) ** 2, 0) / (values.length - 1) / values.length;
/** Welch's; beyond ±2.6 it would be a difference, at one percent. */
const tValue = ({ known, unknown }: Timed): number =>
  (mean(known) - mean(unknown)) / Math.sqrt(squaredError(known) + squaredError(unknown));

function expectAlike(name: string, times: Timed): void {
  const [known, unknown] = [median(times.known), median(times.unknown)];
  const shown = [known, unknown].map((ms) => `${ms.toFixed(2)} ms`).join(' and ');
  console.info(`${name}: medians ${shown}, t = ${tValue(times).toFixed(2)} over ${times.known.length} pairs`);
  expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(MAX_RATIO);
}

const post = async (path: string, body: object): Promise<number> =>
  (await client.post(path, { key: null, body })).status;

describe('an address with an account and one without take equally long', () => {
  it('to be refused with a wrong password', async () => {
    const request = (email: string) => post('/api/login/', { email, password: 'not the password' });
    expectAlike('wrong password', await timeBoth(ROUNDS || 20, request, 400));
  });

  it('to be told what their domain enforces', async () => {
    const request = (email: string) => post('/api/login/precheck', { email });
    expectAlike('precheck', await timeBoth(ROUNDS || 100, request, 200));
  });

  it('to be promised a link for a new password', async () => {
    const request = (email: string) => post('/api/reset/', { email });
    expectAlike('reset', await timeBoth(ROUNDS || 60, request, 204));
  });
});
