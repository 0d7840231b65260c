/** Which events an action finds by clicked elements and addresses, of a started server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;

const TAILWIND = {
  tag_name: 'button',
  attr__class: 'md:flex w-1/2 p-1.5',
  attr__id: 'a:b',
  'attr__data-x': 'a > b',
  nth_child: 3,
};

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const event = (name: string, properties: Record<string, unknown>) => ({
    event: name,
    timestamp: '2026-01-14T10:00:00Z',
    properties,
  });
  await capture(server, server.projectKey, [
    event('visit', { $current_url: 'https://x.test/pricing' }),
    event('visit', { $current_url: 'https://x.test/' }),
    event('visit', {}),
    event('$autocapture', { $elements: [TAILWIND, { tag_name: 'form' }] }),
    event('$autocapture', { $elements: [{ tag_name: 'button', $el_text: 'Buy' }] }),
  ]);
});
afterAll(() => server.close());

const make = async (body: object): Promise<Answer['body']> =>
  (await client.post('/api/projects/1/actions/', { body })).body;
const ask = async (of: string, fields: object): Promise<Answer['body']> =>
  (await client.post(`/api/projects/1/insights/${of}/`, { body: fields })).body.result;

describe('an action finds events', () => {
  const counted = async (step: object): Promise<number> => {
    const { id } = await make({ name: `Step ${JSON.stringify(step)}`, steps: [step] });
    const [item] = await ask('trend', { actions: [{ id }], display: 'BoldNumber' });
    const listed = await client.get(`/api/projects/1/events/?action_id=${id}`);
    expect(listed.body.results).toHaveLength(item.aggregated_value);
    return item.aggregated_value;
  };

  it.each([
    [String.raw`button.md\:flex`, 1],
    [String.raw`form > .md\:flex.w-1\/2`, 1],
    [String.raw`button.md\:fle`, 0],
    [String.raw`#a\:b`, 1],
    ['[data-x="a > b"]', 1],
    [String.raw`[data-x='a > b'].w-1\/2:nth-child(3)`, 1],
    [String.raw`form .p-1\.5`, 1],
    ['button', 2],
  ])('by the selector %s', async (selector, count) => {
    expect(await counted({ event: '$autocapture', selector })).toBe(count);
  });

  it.each([
    ['x.test/%ing', 1],
    ['x.test%', 2],
    ['x%pricing', 1],
    ['x_test/p', 1],
    [String.raw`x\_test`, 0],
    ['x.test/%docs', 0],
    ['X.test', 0],
    ['(%', 0],
  ])('by an address that contains %s', async (url, count) => {
    expect(await counted({ event: 'visit', url })).toBe(count);
    expect(await counted({ event: 'visit', url, url_matching: 'exact' })).toBe(0);
  });
});
