import { describe, expect, it } from 'vitest';
import { vectors } from '../../../../test/support/vectors.ts';
import { readEntityTag } from './local-definitions.ts';

describe('the tag in If-None-Match', () => {
  it.each([
    ['"abc"', 'abc'],
    ['W/"abc"', 'abc'],
    ['  W/"abc" ', 'abc'],
    ['abc', 'abc'],
    ['"W12"', 'W12'],
    ['""', null],
    ['', null],
    [undefined, null],
  ])('of %j is %j', (header, tag) => {
    expect(readEntityTag(header)).toBe(tag);
  });

  const { cases } = vectors<{ cases: [string | null, string | null][] }>('etag-header-cases.json', { cases: [] });
  it.skipIf(cases.length === 0).each(cases)('published: of %j is %j', (header, tag) => {
    expect(readEntityTag(header)).toBe(tag);
  });
});
