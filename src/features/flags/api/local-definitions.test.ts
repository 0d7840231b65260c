import { describe, expect, it } from 'vitest';
import { describeVectors } from '../../../../test/support/vectors.ts';
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

  type EtagCases = { cases: [string | null, string | null][] };
  describeVectors<EtagCases>('recorded cases', 'etag-header-cases.json', ({ cases }) => {
    it.each(cases)('of %j is %j', (header, tag) => {
      expect(readEntityTag(header)).toBe(tag);
    });
  });
});
