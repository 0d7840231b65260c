import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

const patch = (settings: object) => client.patch('/api/projects/1/', { body: { web_analytics: settings } });
const settingsNow = async () => (await client.get('/api/projects/1/')).body.web_analytics;

describe('settings of web analytics', () => {
  it('change key by key, each in the activity log', async () => {
    const before = await settingsNow();
    const { status, body } = await patch({
      bounce_seconds: 20,
      own_domains: ['Shop.Example.com'],
      own_addresses: ['203.0.113.0/24', '2001:db8::1'],
      path_rules: [{ pattern: '/user/\\d+', replacement: '/user/:id' }],
      goals: [{ name: 'Sign-up', type: 'event', value: 'signed up' }],
      channel_rules: [
        {
          channel: 'Partners',
          combiner: 'OR',
          items: [
            { key: 'utm_source', op: 'exact', value: 'partner' },
            { key: 'url', op: 'is_set' },
          ],
        },
      ],
    });
    expect(status).toBe(200);
    expect(body.web_analytics).toEqual({
      ...before,
      bounce_seconds: 20,
      own_domains: ['shop.example.com'],
      own_addresses: ['203.0.113.0/24', '2001:db8::1'],
      path_rules: [{ pattern: '/user/\\d+', replacement: '/user/:id' }],
      goals: [{ id: expect.stringMatching(/./), name: 'Sign-up', type: 'event', value: 'signed up' }],
      channel_rules: [
        {
          channel: 'Partners',
          combiner: 'OR',
          items: [
            { key: 'utm_source', op: 'exact', value: ['partner'] },
            { key: 'url', op: 'is_set', value: [] },
          ],
        },
      ],
    });
    await patch({ bounce_seconds: 5 });
    expect(await settingsNow()).toEqual({ ...body.web_analytics, bounce_seconds: 5 });
    const [entry] = (await client.get('/api/organizations/@current/activity/?limit=1')).body.results;
    expect(entry.detail.changes).toEqual([
      { type: 'Team', action: 'changed', field: 'web_analytics.bounce_seconds', before: 20, after: 5 },
    ]);
  });

  it.each([
    [{ bounce_seconds: 0 }, 'web_analytics__bounce_seconds'],
    [{ bounce_seconds: 121 }, 'web_analytics__bounce_seconds'],
    [{ own_addresses: ['10.0.0.0/8', '300.1.1.1'] }, 'web_analytics__own_addresses__1'],
    [{ own_addresses: Array(101).fill('10.0.0.1') }, 'web_analytics__own_addresses'],
    [{ own_domains: ['https://example.com/'] }, 'web_analytics__own_domains__0'],
    [{ hidden_referrers: [7, 'a b'] }, 'web_analytics__hidden_referrers__1'],
    [{ path_rules: [{ pattern: '(', replacement: '' }] }, 'web_analytics__path_rules__0__pattern'],
    [{ path_rules: [{ pattern: '(?=a)b', replacement: '' }] }, 'web_analytics__path_rules__0__pattern'],
    [{ path_rules: [{ pattern: 'a' }] }, 'web_analytics__path_rules__0__replacement'],
    [{ goals: [{ name: 'x', type: 'action', value: 'y' }] }, 'web_analytics__goals__0__value'],
    [{ goals: [{ name: 'x', type: 'path', value: '[' }] }, 'web_analytics__goals__0__value'],
    [{ goals: Array(21).fill({ name: 'x', type: 'event', value: 'y' }) }, 'web_analytics__goals'],
    [
      { channel_rules: [{ channel: 'x', combiner: 'AND', items: [{ key: 'url', op: 'regex', value: '(' }] }] },
      'web_analytics__channel_rules__0__items__0__value',
    ],
    [
      { channel_rules: [{ channel: 'x', combiner: 'AND', items: [{ key: 'url', op: 'exact' }] }] },
      'web_analytics__channel_rules__0__items__0__value',
    ],
    [{ channel_rules: [{ channel: 'x', combiner: 'XOR', items: [] }] }, 'web_analytics__channel_rules__0__combiner'],
    [{ goals: 'all' }, 'web_analytics__goals'],
  ])('are refused as a whole: %j', async (settings, attr) => {
    const before = await settingsNow();
    const { status, body } = await patch({
      ...settings,
      hidden_referrers: 'hidden_referrers' in settings ? settings.hidden_referrers : ['spam.example'],
    });
    expect({ status, type: body.type, attr: body.attr }).toEqual({ status: 400, type: 'validation_error', attr });
    expect(await settingsNow()).toEqual(before);
  });

  it('have a switch for visitors without cookies', async () => {
    const change = (mode: unknown) => client.patch('/api/projects/1/', { body: { cookieless_server_hash_mode: mode } });
    expect((await change(1)).body.cookieless_server_hash_mode).toBe(1);
    expect((await change(3)).status).toBe(400);
    expect((await change(2)).body.cookieless_server_hash_mode).toBe(2);
  });
});
