/** What an alert must not be: refused with the field that is wrong and what would be right. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let insight: number;
const all = '/api/projects/1/alerts/';
const bounds = (lower: unknown, upper: unknown = null, type = 'absolute') => ({
  configuration: { type, bounds: { lower, upper } },
});

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const filters = { insight: 'TRENDS', events: [{ id: 'signed up' }] };
  insight = (await client.post('/api/projects/1/insights/', { body: { name: 'Sign-ups', filters } })).body.id;
});
afterAll(() => server.close());

const post = (body: object, path = all) =>
  client.post(path, { body: { name: 'Low', insight, threshold: bounds(10), ...body } });
const hooks = (url: string) => [{ type: 'webhook', url }];

describe('an alert is refused with', () => {
  it.each<[name: string, attr: string, body: object]>([
    ['a bound that is no number', 'threshold', { threshold: bounds('ten') }],
    ['no bounds', 'threshold', { threshold: bounds(null, null) }],
    ['lower above upper', 'threshold', { threshold: bounds(5, 4) }],
    ['no threshold', 'threshold', { threshold: null }],
    ['an unknown type of threshold', 'threshold', { threshold: bounds(1, 2, 'feeling') }],
    ['a percentage of nothing', 'threshold', { threshold: bounds(1, 2, 'percentage') }],
    ['an unknown condition', 'condition', { condition: { type: 'bad_luck' } }],
    ['a condition that is no object', 'condition', { condition: 'absolute_value' }],
    ['a seasonal condition with bounds', 'threshold', { condition: { type: 'seasonal' } }],
    [
      'a deviation of nothing',
      'threshold',
      { condition: { type: 'seasonal' }, threshold: { configuration: { type: 'deviation', k: 0 } } },
    ],
    [
      'a seasonal month',
      'calculation_interval',
      {
        condition: { type: 'seasonal' },
        threshold: { configuration: { type: 'deviation', k: 4 } },
        calculation_interval: 'monthly',
      },
    ],
    ['an unknown interval', 'calculation_interval', { calculation_interval: 'yearly' }],
    ['an unknown config', 'config', { config: { type: 'WeatherConfig' } }],
    ['silence of no event', 'config', { config: { type: 'SilentEventConfig', event: '' } }],
    ['silence forever', 'config', { config: { type: 'SilentEventConfig', event: 'x', silent_for: '99999w' } }],
    ['no tags of flags', 'config', { config: { type: 'FlagChangeConfig', tags: [] } }],
    ['tags that are no texts', 'config', { config: { type: 'FlagChangeConfig', tags: [7] } }],
    ['no kinds of changes', 'config', { config: { type: 'FlagChangeConfig', kinds: [] } }],
    ['zero slots in a row', 'hysteresis', { hysteresis: { for: 0 } }],
    ['a margin that leaves nothing inside', 'hysteresis', { hysteresis: { margin: 1 } }],
    ['reminders of no length', 'hysteresis', { hysteresis: { remind_every: '0h' } }],
    ['no insight', 'insight', { insight: null }],
    ['an unknown insight', 'insight', { insight: 99_999 }],
    ['a stranger', 'subscribed_users', { subscribed_users: [99_999] }],
    ['no address', 'targets', { targets: [{ type: 'webhook' }] }],
    ['what is no address', 'targets', { targets: hooks('ftp://example.org/x') }],
    ['a user name in an address', 'targets', { targets: hooks('https://user:secret@example.org/x') }],
    ['a private address', 'targets', { targets: hooks('http://169.254.169.254/latest') }],
    ['the address of this machine', 'targets', { targets: hooks('http://localhost:8000/') }],
    ['26 targets', 'targets', { targets: Array(26).fill({ type: 'webhook', url: 'https://example.org/x' }) }],
    ['an unknown target', 'targets', { targets: [{ type: 'slack_webhook', id: 'none' }] }],
    ['no time to snooze', 'snoozed_until', { snoozed_until: 'tomorrow' }],
  ])('%s', async (_name, attr, body) => {
    const { status, body: answer } = await post(body);
    expect([status, answer.attr]).toEqual([400, attr]);
    expect(answer.detail.length).toBeGreaterThan(10);
  });

  it('an insight of another project, as if it were unknown', async () => {
    const other = await server.createProject({ foreign: true });
    const made = await clientFor({ ...server, ...other }).post(`/api/projects/${other.projectId}/insights/`, {
      body: { name: 'Theirs', filters: {} },
    });
    const { status, body } = await post({ insight: made.body.id + 1000 });
    const foreign = await post({ insight: made.body.id });
    expect([status, foreign.status]).toEqual([400, foreign.body.attr === 'insight' ? 400 : 0]);
    expect(foreign.body.code).toBe(body.code);
  });

  it('more than 20 that are checked every minute', async () => {
    const body = { calculation_interval: 'every_minute' };
    for (let i = 0; i < 20; i++) expect((await post(body)).status).toBe(201);
    const refused = await post(body);
    expect([refused.status, refused.body.code]).toEqual([400, 'limit_reached']);
    expect((await post({ ...body, enabled: false })).status).toBe(201);
  });

  it('more than 200 that are enabled', async () => {
    const { results } = (await client.get(`${all}?limit=1000`)).body;
    const enabled = results.filter((alert: { enabled: boolean }) => alert.enabled).length;
    for (let i = enabled; i < 200; i++) expect((await post({})).status).toBe(201);
    const refused = await post({});
    expect([refused.status, refused.body.code, refused.body.attr]).toEqual([400, 'limit_reached', 'enabled']);
    const disabled = await post({ enabled: false });
    expect(disabled.status).toBe(201);
    const again = await client.patch(`${all}${disabled.body.id}/`, { body: { enabled: true } });
    expect([again.status, again.body.code]).toEqual([400, 'limit_reached']);
  });

  it('a back-test of 14 weeks, of lag, or of an unknown insight', async () => {
    const test = (body: object) => post(body, `${all}backtest/`);
    expect((await test({ weeks: 14 })).body.attr).toBe('weeks');
    expect((await test({ insight: 99_999 })).body.attr).toBe('insight');
    expect((await test({ config: { type: 'LagConfig' } })).body).toMatchObject({ code: 'unsupported', attr: 'config' });
    expect((await test({ config: { type: 'FunnelAlertConfig' } })).body.attr).toBe('config');
    expect((await test({ config: { type: 'TrendsAlertConfig', series_index: 3 } })).body.attr).toBe('config');
  });
});
