import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { envelope, queryChoice, queryText, readActivityPage, readPage, requestUrl, withQuery } from './paging.ts';

describe('limit and offset', () => {
  it.each([
    [{}, 100, 0],
    [{ limit: '5', offset: '10' }, 5, 10],
    [{ limit: '1000' }, 1000, 0],
    [{ limit: '1001' }, 1000, 0],
    [{ limit: '9007199254740991' }, 1000, 0],
    [{ limit: '0', offset: '0' }, 100, 0],
    [{ limit: '-1', offset: '-1' }, 100, 0],
    [{ limit: 'x', offset: 'x' }, 100, 0],
    [{ limit: '', offset: '' }, 100, 0],
    [{ limit: '1.5', offset: '1.5' }, 100, 0],
    [{ limit: '1e400', offset: '1e400' }, 100, 0],
    [{ limit: ['3', '7'] }, 7, 0],
  ])('%j', (query, limit, offset) => {
    expect(readPage(query)).toEqual({ limit, offset });
  });

  it('takes the last of several values', () => {
    expect(queryText({ search: ['a', 'b'] }, 'search')).toBe('b');
    expect(queryText({}, 'search')).toBeUndefined();
  });
});

describe('a parameter that is one of a few', () => {
  const STATES = ['waiting', 'sent'] as const;

  it('is absent, or one of them', () => {
    expect([{}, { state: '' }, { state: 'sent' }].map((query) => queryChoice(query, 'state', STATES))).toEqual([
      undefined,
      undefined,
      'sent',
    ]);
  });

  it('is refused with the list of what it can be', () => {
    expect(() => queryChoice({ state: 'Sent' }, 'state', STATES)).toThrow('state is one of waiting, sent.');
  });
});

describe('the envelope', () => {
  const url = new URL('http://cairn.test/api/projects/?search=a%20b');
  const links = (limit: number, offset: number, count: number) => {
    const { next, previous } = envelope(url, { limit, offset }, { count, items: [] }, (item) => item);
    return { next, previous };
  };

  it('has no neighbours when everything is on the page', () => {
    expect(links(100, 0, 100)).toEqual({ next: null, previous: null });
  });

  it('links to the next page with the other parameters kept and the names in order', () => {
    const next = 'http://cairn.test/api/projects/?limit=10&offset=10&search=a+b';
    expect(links(10, 0, 11)).toEqual({ next, previous: null });
  });

  it('drops the offset from the link to the first page', () => {
    const previous = 'http://cairn.test/api/projects/?limit=10&search=a+b';
    expect(links(10, 10, 11)).toEqual({ next: null, previous });
    expect(links(10, 3, 11).previous).toBe(previous);
  });

  it('keeps the offset in the link to a later page', () => {
    expect(links(10, 25, 26).previous).toBe('http://cairn.test/api/projects/?limit=10&offset=15&search=a+b');
  });

  it('presents each item', () => {
    const page = envelope(url, { limit: 10, offset: 0 }, { count: 2, items: [1, 2] }, (item) => item * 10);
    expect(page).toEqual({ count: 2, next: null, previous: null, results: [10, 20] });
  });
});

describe('pages of an activity list', () => {
  it.each([
    [{}, { limit: 10, number: 1, offset: 0 }],
    [
      { page: '3', limit: '5' },
      { limit: 5, number: 3, offset: 10 },
    ],
    [
      { page: '0', limit: '0' },
      { limit: 10, number: 1, offset: 0 },
    ],
    [{ page: 'x' }, { limit: 10, number: 1, offset: 0 }],
    [{ limit: '5000' }, { limit: 1000, number: 1, offset: 0 }],
  ])('%j', (query, expected) => {
    expect(readActivityPage(query)).toEqual(expected);
  });

  it('stays a whole number however far out', () => {
    const { offset } = readActivityPage({ page: '9007199254740991', limit: '1000' });
    expect(Number.isSafeInteger(offset)).toBe(true);
  });
});

it('replaces, adds and removes query parameters', () => {
  const url = new URL('http://cairn.test/?b=1&a=2');
  expect(withQuery(url, { b: null, c: 'x y', a: 3 })).toBe('http://cairn.test/?a=3&c=x+y');
  expect(url.search).toBe('?b=1&a=2');
});

describe('the address of a request', () => {
  const request = (host: string, url = '/api/projects/?a=1') => ({ protocol: 'https', host, url }) as FastifyRequest;
  it.each([
    ['cairn.example.org', null, 'https://cairn.example.org/api/projects/?a=1'],
    ['', null, 'https://localhost/api/projects/?a=1'],
    ['a host [with', null, 'https://localhost/api/projects/?a=1'],
    ['inner:8000', 'https://outer.example.org', 'https://outer.example.org/api/projects/?a=1'],
  ])('host %j, PUBLIC_URL %j', (host, publicUrl, expected) => {
    expect(requestUrl(request(host), publicUrl).href).toBe(expected);
  });

  it('keeps the folder that PUBLIC_URL names', () => {
    expect(requestUrl(request('inner'), 'https://example.org/cairn').href).toBe(
      'https://example.org/cairn/api/projects/?a=1',
    );
  });

  it('never leads to another host', () => {
    expect(requestUrl(request('cairn.test', '//evil.test/api/'), null).host).toBe('cairn.test');
  });
});
