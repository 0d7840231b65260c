/** A gradual rollout that an alert stops: when it fires, once, with a word to whoever scheduled it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const all = '/api/projects/1/scheduled_changes/';
const flags = '/api/projects/1/feature_flags/';
const alerts = '/api/projects/1/alerts/';
const HOUR = 3_600_000;
const T0 = Date.parse('2026-01-15T12:10:00Z');

let server: TestServer;
let mail: MailServer;
let client: ReturnType<typeof clientFor>;
let keys = 0;
beforeAll(async () => {
  mail = await startMailServer();
  const config = { ...mail.config, publicUrl: 'https://cairn.example.org' };
  server = await startServer({ now: new Date(T0).toISOString(), config });
  client = clientFor(server);
});
afterAll(async () => {
  await server.close();
  await mail.close();
});

let now = T0;
const at = (ms: number): void => {
  now = ms;
  server.setNow(new Date(ms).toISOString());
};
/** Time goes on meanwhile: whatever looked just before the clock was set looks again. */
const eventually = <T>(read: () => Promise<T>) =>
  expect.poll(
    () => {
      at(now + 2000);
      return read();
    },
    { timeout: 30_000, interval: 500 },
  );
const one = async (id: number) => (await client.get(`${all}${id}/`)).body;
const flag = async (id: number) => (await client.get(`${flags}${id}/`)).body;
const rollout = async (id: number) => (await flag(id)).filters.groups[0].rollout_percentage;
const post = (id: number, value: object) =>
  client.post(all, {
    body: { record_id: id, model_name: 'FeatureFlag', payload: { operation: 'ramp', value } },
  });

/** A flag, an alert that fires when another flag is turned off, and a rollout in two steps. */
async function guarded(start: number) {
  at(start);
  const filters = { groups: [{ properties: [], rollout_percentage: 1 }] };
  const make = async (name: string) =>
    (await client.post(flags, { body: { key: `${name}-${++keys}`, filters } })).body.id as number;
  const [ramped, watched] = [await make('ramped'), await make('watched')];
  const config = { type: 'FlagChangeConfig', flag_ids: [watched], kinds: ['active'] };
  const made = await client.post(alerts, { body: { name: `Errors ${keys}`, calculation_interval: 'hourly', config } });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  const steps = [1, 4].map((hours) => ({
    at: new Date(start + hours * HOUR).toISOString(),
    rollout_percentage: hours * 10,
  }));
  const { status, body } = await post(ramped, { steps, halt_if: made.body.id });
  expect([status, body.detail]).toEqual([201, undefined]);
  return { ramped, watched, alert: made.body, change: body };
}
type Guarded = Awaited<ReturnType<typeof guarded>>;

const makeFirstStep = async ({ ramped }: Guarded, start: number) => {
  at(start + HOUR);
  await eventually(() => rollout(ramped)).toBe(10);
};
const stopped = ({ change }: Guarded) => eventually(async () => (await one(change.id)).failure_reason).not.toBeNull();

describe('a gradual rollout', () => {
  it('stops when its alert fires, before its next step, and says so once', async () => {
    const start = T0;
    const given = await guarded(start);
    await makeFirstStep(given, start);
    await client.patch(`${flags}${given.watched}/`, { body: { active: false } });
    // The hour of the change is over, the next step is not yet due.
    at(start + 2 * HOUR);
    await stopped(given);
    const reason = `The alert "${given.alert.name}" fired: the gradual rollout was stopped.`;
    expect(await one(given.change.id)).toMatchObject({
      failure_reason: reason,
      executed_at: expect.stringMatching(/^2026-01-15T14:1/),
    });
    at(start + 5 * HOUR);
    await eventually(async () => mail.mails.length).toBe(1);
    expect(mail.mails[0]?.text).toContain(reason);
    expect(mail.mails[0]?.text).toContain(`/project/1/flags/${given.ramped}?tab=schedule`);
    expect(await flag(given.ramped)).toMatchObject({
      version: 2,
      filters: { groups: [{ rollout_percentage: 10 }] },
    });
    const { results } = (await client.get(`${flags}${given.ramped}/activity/`)).body;
    expect(results.map(({ activity }: { activity: string }) => activity)).toEqual([
      'schedule_stopped',
      'updated',
      'scheduled',
      'created',
    ]);
    expect(results[0].detail.trigger).toMatchObject({ job_id: String(given.change.id), reason });
  });

  it('goes to its end while its alert is quiet', async () => {
    const start = T0 + 100 * HOUR;
    const given = await guarded(start);
    await makeFirstStep(given, start);
    at(start + 4 * HOUR);
    await eventually(() => rollout(given.ramped)).toBe(40);
    expect(await one(given.change.id)).toMatchObject({ failure_reason: null, executed_at: expect.any(String) });
  });

  it.each([
    ['was deleted', (id: string) => client.delete(`${alerts}${id}/`), /was deleted\.$/],
    [
      'was turned off',
      (id: string) => client.patch(`${alerts}${id}/`, { body: { enabled: false } }),
      /was turned off\.$/,
    ],
  ])('is not taken further when its alert %s', async (_, lose, reason) => {
    const start = T0 + (200 + 50 * keys) * HOUR;
    const given = await guarded(start);
    await makeFirstStep(given, start);
    expect((await lose(given.alert.id)).status).toBeLessThan(300);
    at(start + 4 * HOUR);
    await stopped(given);
    expect((await one(given.change.id)).failure_reason).toMatch(reason);
    expect(await rollout(given.ramped)).toBe(10);
  });

  it('is refused with an alert that is not there, of another project, off, or firing', async () => {
    const start = T0 + 1000 * HOUR;
    const { ramped, alert } = await guarded(start);
    const steps = [{ at: new Date(start + HOUR).toISOString(), rollout_percentage: 5 }];
    const detail = async (halt_if: unknown) => {
      const { status, body } = await post(ramped, { steps, halt_if });
      return [status, body.attr, body.detail];
    };
    const unknown = '0190a0a0-0000-7000-8000-000000000001';
    expect(await detail(unknown)).toEqual([
      400,
      'payload',
      `halt_if: there is no alert with ID ${unknown} in this project.`,
    ]);
    expect((await detail(7))[0]).toBe(400);
    await client.patch(`${alerts}${alert.id}/`, { body: { enabled: false } });
    expect(await detail(alert.id)).toEqual([
      400,
      'payload',
      `halt_if: the alert "${alert.name}" is off. Turn it on first.`,
    ]);
  });
});
