import { describe, expect, it } from 'vitest';
import { shortenAddress, shortenUrl } from './log.ts';

const KEY = 'phx_0123456789abcdefghijklmnopqrstuvwxyz';

describe('URLs of requests', () => {
  it.each([
    ['/api/projects/', '/api/projects/'],
    ['/api/projects/?limit=10', '/api/projects/?limit=10'],
    [`/api/projects/?personal_api_key=${KEY}`, '/api/projects/?personal_api_key=phx_0123…'],
    [
      `/api/projects/?limit=1&personal_api_key=${KEY}&offset=2`,
      '/api/projects/?limit=1&personal_api_key=phx_0123…&offset=2',
    ],
    [`/e/?token=${KEY}&api_key=${KEY}`, '/e/?token=phx_0123…&api_key=phx_0123…'],
    ['/e/?data=eyJldmVudCI6ImhlbGxvIn0=', '/e/?data=…'],
    ['/api/persons/?email=ada.lovelace@example.org', '/api/persons/?email=…'],
    ['/api/persons/?properties=%5B%7B%22value%22%3A%22ada%22%7D%5D', '/api/persons/?properties=…'],
    ['/api/events/?event=bought&person_id=7&limit=ada%40example.org', '/api/events/?event=…&person_id=…&limit=…'],
    ['/api/groups/?ada@example.org', '/api/groups/?…'],
    ['/api/persons/?format=&page', '/api/persons/?format=&page'],
    [`/api/projects/?personal%5Fapi%5fkey=${KEY}`, '/api/projects/?personal%5Fapi%5fkey=phx_0123…'],
    [`/api/projects/?Token=${KEY}`, '/api/projects/?Token=phx_0123…'],
  ])('%s', (url, shown) => {
    expect(shortenUrl(url)).toBe(shown);
  });

  it('are shortened to 500 characters', () => {
    expect(shortenUrl(`/${'a'.repeat(1000)}`)).toHaveLength(500);
  });
});

describe('addresses of callers', () => {
  it.each([
    ['203.0.113.7', '203.0.113.x'],
    ['2001:db8::1', '2001:db8::x'],
    ['::ffff:203.0.113.7', '::ffff:x'],
  ])('%s', (address, shown) => {
    expect(shortenAddress(address)).toBe(shown);
  });
});
