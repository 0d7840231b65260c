import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await server.createProject();
});

const send = (...events: SentEvent[]): Promise<void> => capture(server, project.projectKey, events);
const path = (rest: string, params: Record<string, string> = {}): string =>
  `/api/projects/${project.projectId}/events/${rest}?${new URLSearchParams(params)}`;
const get = (rest: string, params: Record<string, string> = {}) => clientFor(server).get(path(rest, params));
const list = async (params: Record<string, string> = {}) => {
  const { status, body } = await get('', params);
  expect(status).toBe(200);
  return body;
};
const namesOf = async (params: Record<string, string> = {}): Promise<string[]> =>
  (await list(params)).results.map((item: { event: string }) => item.event);
const UUID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const at = (time: string): string => `2026-01-15T${time}Z`;

describe('the list of events', () => {
  it('shows all fields of an event, with its person', async () => {
    await send(
      {
        event: '$identify',
        distinct_id: 'ada',
        properties: { $set: { email: 'a@b.c', plan: 'pro' } },
        timestamp: at('10:00:00'),
      },
      { event: 'buy', distinct_id: 'ada', uuid: UUID, properties: { n: 1 }, timestamp: at('11:00:00.250') },
    );
    const { next, results } = await list({ event: 'buy' });
    expect(next).toBeNull();
    expect(results).toEqual([
      {
        id: UUID,
        distinct_id: 'ada',
        event: 'buy',
        properties: expect.objectContaining({ n: 1 }),
        timestamp: '2026-01-15T11:00:00.250000+00:00',
        person: { is_identified: false, distinct_ids: ['ada'], properties: { email: 'a@b.c' } },
        elements: [],
        elements_chain: '',
      },
    ]);
    expect((await list({ event: '$identify' })).results[0].timestamp).toBe('2026-01-15T10:00:00+00:00');
  });

  it('shows the clicked elements, also of one event and as CSV', async () => {
    const $elements = [
      { tag_name: 'button', attr__class: 'btn md:flex', $el_text: 'Buy', nth_child: 2, 'attr__data-x': '"y"' },
      { tag_name: 'a', attr__href: '/x', attr__id: 'link' },
    ];
    await send({ event: '$autocapture', uuid: UUID, properties: { $elements } });
    const none = { event: null, text: null, attr_class: null, href: null, attr_id: null };
    const elements = [
      {
        ...none,
        text: 'Buy',
        tag_name: 'button',
        attr_class: ['btn', 'md:flex'],
        nth_child: 2,
        nth_of_type: null,
        attributes: { attr__class: 'btn md:flex', 'attr__data-x': '"y"' },
        order: 0,
      },
      {
        ...none,
        tag_name: 'a',
        href: '/x',
        attr_id: 'link',
        nth_child: null,
        nth_of_type: null,
        attributes: { attr__href: '/x', attr__id: 'link' },
        order: 1,
      },
    ];
    expect((await list()).results[0].elements).toEqual(elements);
    expect((await get(`${UUID}/`)).body.elements).toEqual(elements);
    const [head = '', row = ''] = (await get('', { format: 'csv' })).body.split('\r\n');
    const cells = row.split(',');
    expect(cells[head.split(',').indexOf('elements.0.text')]).toBe('Buy');
    expect(cells[head.split(',').indexOf('elements.1.tag_name')]).toBe('a');
  });

  it('is newest first, or oldest first on request', async () => {
    await send({ event: 'b', timestamp: at('10:00:00') }, { event: 'a', timestamp: at('09:00:00') });
    await send({ event: 'c', timestamp: at('11:00:00') });
    expect(await namesOf()).toEqual(['c', 'b', 'a']);
    expect(await namesOf({ orderBy: '["timestamp"]' })).toEqual(['a', 'b', 'c']);
  });

  it('goes beyond the last day if that has too few events', async () => {
    await send({ event: 'old', timestamp: '2024-01-01T00:00:00Z' }, { event: 'new', timestamp: at('11:00:00') });
    expect(await namesOf()).toEqual(['new', 'old']);
    expect(await namesOf({ limit: '1' })).toEqual(['new']);
    expect(await namesOf({ after: '5d' })).toEqual(['new']);
  });

  it('excludes both bounds', async () => {
    await send(...['09', '10', '11'].map((hour) => ({ event: `e${hour}`, timestamp: at(`${hour}:00:00`) })));
    expect(await namesOf({ after: at('09:00:00'), before: at('11:00:00') })).toEqual(['e10']);
    expect(await namesOf({ after: '2h' })).toEqual(['e11']);
    expect(await namesOf({ before: '2026-01-15T11:00:00+01:00' })).toEqual(['e09']);
  });

  it('filters by distinct id, and by person through every id and merge', async () => {
    await send({ event: 'one', distinct_id: 'anon' }, { event: 'two', distinct_id: 'bob' }, { event: 'three' });
    await send({ event: '$identify', distinct_id: 'bob', properties: { $anon_distinct_id: 'anon' } });
    expect(await namesOf({ distinct_id: 'anon' })).toEqual(['one']);
    const { results } = await list({ event: 'one' });
    expect(results[0].person.is_identified).toBe(true);
    const uuid = await personOf('bob');
    expect((await namesOf({ person_id: uuid })).sort()).toEqual(['$identify', 'one', 'two']);
    expect((await namesOf({ person_id: String(await numberOf(uuid)) })).sort()).toEqual(['$identify', 'one', 'two']);
  });

  const rows = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> => {
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(`${server.dataDir}/metadata.sqlite`, { readonly: true });
    const found = db.prepare(text).all(...values) as Record<string, unknown>[];
    db.close();
    return found;
  };
  const personOf = async (distinctId: string): Promise<string> => {
    const found = await rows(
      `select p.uuid from persons p join person_distinct_ids d on d.person_id = p.id
       where d.project_id = ? and d.distinct_id = ?`,
      project.projectId,
      distinctId,
    );
    return String(found[0]?.['uuid']);
  };
  const numberOf = async (uuid: string): Promise<unknown> =>
    (await rows('select id from persons where uuid = ?', uuid))[0]?.['id'];

  it.each(['999999', 'nobody', '00000000-0000-4000-8000-000000000000'])(
    'shows nothing for the unknown person %s',
    async (id) => {
      await send({});
      expect(await list({ person_id: id })).toEqual({ next: null, results: [] });
    },
  );

  it('never shows the events of another project', async () => {
    await send({ event: 'mine' });
    const other = await server.createProject();
    const { body } = await clientFor(server).get(`/api/projects/${other.projectId}/events/`);
    expect(body).toEqual({ next: null, results: [] });
  });

  it.each([
    ['[{"key":"plan","value":"pro"}]', ['pro']],
    ['[{"key":"plan","value":["pro","free"]}]', ['free', 'pro']],
    ['[{"key":"plan","value":"PR","operator":"icontains"}]', ['pro']],
    ['[{"key":"plan","value":"^(pro|free)$","operator":"regex"}]', ['free', 'pro']],
    ['[{"key":"plan","value":"(","operator":"regex"}]', []],
    ['[{"key":"plan","value":"(","operator":"not_regex"}]', []],
    ['[{"key":"plan","operator":"is_not_set"}]', ['none']],
    ['[{"key":"seats","value":10,"operator":"gt"}]', ['pro']],
    ['{"plan__is_not":"pro"}', ['none', 'free']],
    ['{"type":"OR","values":[{"key":"plan","value":"pro"},{"key":"seats","value":5}]}', ['free', 'pro']],
    ['[{"key":"plan","value":"x\' or 1=1 --"}]', []],
  ])('filters by event properties: %s', async (properties, names) => {
    await send(
      { event: 'pro', properties: { plan: 'pro', seats: 20 }, timestamp: at('09:00:00') },
      { event: 'free', properties: { plan: 'free', seats: '5' }, timestamp: at('10:00:00') },
      { event: 'none', timestamp: at('11:00:00') },
    );
    expect(await namesOf({ properties })).toEqual(names);
  });

  it.each([
    [{ key: 'plan', value: 'pro' }, ['ada']],
    [{ key: 'plan', value: 'pro', operator: 'is_not' }, ['bob', 'eve']],
    [{ key: 'plan', operator: 'is_set' }, ['ada', 'bob']],
    [{ key: 'plan', value: '^f', operator: 'regex' }, ['bob']],
    [{ key: 'plan', value: '(', operator: 'not_regex' }, []],
    [{ key: '$browser', value: 'Firefox' }, ['bob']],
    [{ key: 'seats', value: 3, operator: 'gte' }, ['ada']],
  ])('filters by person properties: %j', async (filter, names) => {
    await send(
      { event: 'ada', distinct_id: 'ada', $set: { plan: 'pro', seats: 3 } },
      { event: 'bob', distinct_id: 'bob', $set: { plan: 'free', $browser: 'Firefox', odd: 'a\ud800b' } },
      { event: 'eve', distinct_id: 'eve', properties: { $process_person_profile: false } },
    );
    const properties = JSON.stringify([{ ...filter, type: 'person' }]);
    expect((await namesOf({ properties })).sort()).toEqual(names);
  });

  it('shows every event exactly once over all pages, also where many have the same time', async () => {
    const ties = Array.from({ length: 7 }, (_, n) => ({ event: `tie${n}`, timestamp: at('10:00:00') }));
    const apart = ['08', '09', '11'].map((hour) => ({ event: `e${hour}`, timestamp: at(`${hour}:00:00`) }));
    await send(...ties, ...apart);
    for (const orderBy of ['["-timestamp"]', '["timestamp"]']) {
      for (const limit of ['1', '2', '3', '4', '10']) {
        const seen: string[] = [];
        let next: string | null = new URL(path('', { limit, orderBy }), server.url).toString();
        for (let pages = 0; next !== null && pages < 20; pages++) {
          const { pathname, search } = new URL(next);
          const { body } = await clientFor(server).get(pathname + search);
          seen.push(...body.results.map((item: { event: string }) => item.event));
          next = body.next;
        }
        expect([limit, seen.length, new Set(seen).size]).toEqual([limit, 10, 10]);
      }
    }
  });

  it('continues at the time of the last event', async () => {
    await send({ event: 'a', timestamp: at('09:00:00') }, { event: 'b', timestamp: at('10:00:00') });
    const { next } = await list({ limit: '1' });
    expect(new URL(next).searchParams.get('before')).toBe('2026-01-15T10:00:00+00:00');
    expect(new URL(next).searchParams.get('limit')).toBe('1');
  });

  it('skips `offset` events', async () => {
    await send(...['09', '10', '11'].map((hour) => ({ event: hour, timestamp: at(`${hour}:00:00`) })));
    expect(await namesOf({ offset: '1' })).toEqual(['10', '09']);
  });

  it.each([
    [{ properties: '{' }, 'Properties are unparsable!', null],
    [{ before: 'soon' }, /^Not a moment: "soon"/, 'before'],
    [{ after: '2020-99-99' }, /^Not a moment/, 'after'],
    [{ orderBy: 'timestamp' }, /ordered by/, 'orderBy'],
    [{ orderBy: '["properties"]' }, /ordered by/, 'orderBy'],
    [{ action_id: '5' }, /no action "5"/, 'action_id'],
    [{ action_id: 'x' }, /no action "x"/, 'action_id'],
  ])('answers 400 to %j', async (params, detail, attr) => {
    const { status, body } = await get('', params as unknown as Record<string, string>);
    expect([status, body.type, body.code, body.attr]).toEqual([400, 'validation_error', 'invalid_input', attr]);
    expect(body.detail).toMatch(detail);
  });

  it.each(['-1', 'x', '0', '1e9', ''])('ignores the invalid limit %j', async (limit) => {
    await send({});
    expect(await namesOf({ limit, offset: limit === '1e9' ? '0' : limit })).toEqual(['ping']);
  });

  it('never fails on odd input', async () => {
    await send({ properties: { plan: 'pro' } });
    const odd = [
      '\u0000',
      '\ud800',
      '😀',
      '%',
      "'",
      '"',
      '\\',
      '$1',
      'a'.repeat(5000),
      '[]',
      '{}',
      'null',
      '1e400',
      '-0',
    ];
    for (const text of odd) {
      for (const name of [
        'event',
        'distinct_id',
        'person_id',
        'before',
        'after',
        'properties',
        'orderBy',
        'limit',
        'offset',
      ]) {
        expect([name, text, (await get('', { [name]: text })).status < 500]).toEqual([name, text, true]);
      }
      for (const operator of ['exact', 'icontains', 'regex', 'not_regex', 'gt', 'is_date_after', 'is_set']) {
        for (const type of ['event', 'person']) {
          const properties = JSON.stringify([{ key: text, value: text, operator, type }]);
          expect([operator, type, text, (await get('', { properties })).status]).toEqual([operator, type, text, 200]);
        }
      }
      expect([text, (await get('values/', { key: text, value: text, event_name: text })).status]).toEqual([text, 200]);
    }
  });

  it('needs access to the project', async () => {
    const { status } = await clientFor(server).get(path(''), { key: null });
    expect(status).toBe(401);
    const stranger = await server.createProject({ foreign: true });
    expect((await clientFor(server).get(path(''), { key: stranger.personalKey })).status).toBe(404);
  });
});

describe('events as CSV', () => {
  it('has a column for every field, sorted, and a line for every event', async () => {
    await send(
      {
        event: 'a',
        timestamp: at('09:00:00'),
        properties: { list: [1, { x: 'y' }], text: 'say "hi",\nyou', yes: true },
      },
      { event: 'b', timestamp: at('10:00:00'), properties: { none: null, empty: [] } },
    );
    const { status, body, headers } = await get('', { format: 'csv' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head = '', first = '', ...rest] = (body as string).split('\r\n');
    const columns = head.split(',');
    expect(columns).toEqual([...columns].sort());
    expect(columns).toEqual(expect.arrayContaining(['event', 'person.distinct_ids.0', 'properties.list.1.x']));
    expect(columns).not.toContain('properties.empty');
    expect(first.split(',')[columns.indexOf('event')]).toBe('b');
    expect(first.split(',')[columns.indexOf('timestamp')]).toBe('2026-01-15T10:00:00+00:00');
    expect(rest.join('\r\n')).toContain('"say ""hi"",\nyou",True');
    expect((body as string).endsWith('\r\n')).toBe(true);
  });

  it('has no cells that a spreadsheet would run, unless they are asked for', async () => {
    const link = '=HYPERLINK("http://x","y")';
    await send({ event: '@SUM(A1)', distinct_id: '+1+1', properties: { link, less: -5, text: '-5', dash: '-x' } });
    const lineOf = async (params: Record<string, string>) => {
      const [head = '', row = ''] = (await get('', { format: 'csv', ...params })).body.split('\r\n');
      expect(row).toContain('""http://x"",""y"")"');
      const cells = row
        .replace(/"(?:[^"]|"")*"/g, (cell: string) => (cell.startsWith(`"'`) ? 'defused' : 'as it was'))
        .split(',');
      return Object.fromEntries(head.split(',').map((name: string, at: number) => [name, cells[at]]));
    };
    const names = { event: '@SUM(A1)', distinct_id: '+1+1', 'properties.less': '-5', 'properties.text': '-5' };
    expect(await lineOf({})).toMatchObject({
      ...names,
      event: "'@SUM(A1)",
      distinct_id: "'+1+1",
      'properties.dash': "'-x",
      'properties.link': 'defused',
    });
    expect(await lineOf({ raw: 'true' })).toMatchObject({
      ...names,
      'properties.dash': '-x',
      'properties.link': 'as it was',
    });
  });

  it('is empty without events', async () => {
    expect(await get('', { format: 'csv' })).toMatchObject({ status: 200, body: '' });
  });

  it('goes past a page, up to its limit', async () => {
    await send(...Array.from({ length: 1200 }, (_, n) => ({ event: `e${n}`, timestamp: at('09:00:00') })));
    const linesOf = async (params: Record<string, string>): Promise<string[]> =>
      ((await get('', { format: 'csv', ...params })).body as string).trimEnd().split('\r\n');
    expect(new Set(await linesOf({})).size).toBe(1201);
    expect(await linesOf({ limit: '700' })).toHaveLength(701);
  });

  it('rejects invalid requests before the response begins', async () => {
    expect((await get('', { format: 'csv', properties: '[' })).status).toBe(400);
    expect((await get('', { format: 'xml' })).status).toBe(404);
  });
});

describe('one event', () => {
  it('is found by its id, with its person on request', async () => {
    await send({ uuid: UUID, event: 'buy', $set: { email: 'a@b.c' } });
    const { status, body } = await get(`${UUID.toUpperCase()}/`);
    expect([status, body.id, body.event, body.person]).toEqual([200, UUID, 'buy', null]);
    const { body: withPerson } = await get(`${UUID}/`, { include_person: 'true' });
    expect(withPerson.person.properties).toEqual({ email: 'a@b.c' });
  });

  it.each(['nonsense', '123', '%00', "'; --"])('answers 400 to %j', async (id) => {
    const { status, body } = await get(`${encodeURIComponent(id)}/`);
    expect(status).toBe(400);
    expect(body).toEqual({ type: 'validation_error', code: 'invalid', detail: 'Invalid UUID', attr: null });
  });

  it('answers 404 to an id of no event, or of another project', async () => {
    const { status, body } = await get(`${UUID}/`);
    expect(status).toBe(404);
    expect(body.detail).toBe(`No events exist for event UUID ${UUID}`);
    const other = await server.createProject();
    await capture(server, other.projectKey, [{ uuid: UUID }]);
    expect((await get(`${UUID}/`)).status).toBe(404);
  });
});

describe('values of a property', () => {
  it('offers the most frequent of the last week, once each', async () => {
    await send(
      ...['pro', 'pro', 'free', ''].map((plan) => ({ properties: { plan } })),
      { properties: { plan: ['team', 'pro'] } },
      { properties: { plan: 'ancient' }, timestamp: '2025-01-01T00:00:00Z' },
      { event: 'other', properties: { plan: 5 } },
    );
    expect((await get('values/', { key: 'plan' })).body).toEqual(
      ['pro', '5', 'team', 'free'].map((name) => ({ name })),
    );
    expect((await get('values/', { key: 'plan', value: 'RE' })).body).toEqual([{ name: 'free' }]);
    expect((await get('values/', { key: 'plan', event_name: 'other' })).body).toEqual([{ name: '5' }]);
  });

  it('offers names of events', async () => {
    await send({ event: 'buy' }, { event: '$pageview' }, { event: '$custom' });
    expect((await get('values/', { key: 'custom_event' })).body).toEqual([{ name: '$custom' }, { name: 'buy' }]);
  });

  it('is empty without a key or for an unknown one', async () => {
    expect((await get('values/')).body).toEqual([]);
    expect((await get('values/', { key: "it's" })).body).toEqual([]);
  });
});
