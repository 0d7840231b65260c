import { describe, expect, it } from 'vitest';
import { nextPath } from './next-path.ts';

describe('nextPath', () => {
  it.each(['/', '/project/1/web', '/project/1/insights?x=1&y=//evil.org#part', '/a/../b', '/@evil.org'])(
    'keeps the path %s',
    (path) => expect(nextPath(path)).toBe(path),
  );

  it.each([
    undefined,
    null,
    1,
    ['/a'],
    '',
    'project',
    'https://evil.org/',
    '//evil.org',
    '///evil.org',
    '/\\evil.org',
    '\\\\evil.org',
    '/\t/evil.org',
    '/\n/evil.org',
    '\t//evil.org',
    '/a\\..\\..\\evil',
    'javascript:alert(1)',
    '/\u0000',
    `/${'a'.repeat(1000)}`,
  ])('leads home instead of to %j', (given) => expect(nextPath(given)).toBe('/'));
});
