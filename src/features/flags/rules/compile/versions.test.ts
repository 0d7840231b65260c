import { describe, expect, it } from 'vitest';
import {
  caretRange,
  compareVersions,
  isInVersionRange,
  parseVersion,
  tildeRange,
  type Version,
  wildcardRange,
} from './versions.ts';

const version = (text: string): Version => parseVersion(text) ?? expect.fail(`${text} is no version`);

describe('versions', () => {
  it('are ordered, with pre-releases before their release', () => {
    const ordered = [
      '0.0.1',
      '0.9',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-11',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.1',
      '1.2',
      '1.10.0',
      'v2',
    ];
    for (const [i, left] of ordered.entries()) {
      for (const [j, right] of ordered.entries()) {
        expect(Math.sign(compareVersions(version(left), version(right))), `${left} ${right}`).toBe(Math.sign(i - j));
      }
    }
  });

  it('are equal whatever their build', () => {
    expect(compareVersions(version('1.2.3+linux'), version('1.2.3+mac.7'))).toBe(0);
  });

  it.each(['1.2.3.4', '1.2.3-', '1.2.3-a..b', '1..2', '.1', '1.x', 'latest', '', 'vv1', '99999999999999999999', '-1'])(
    'are not written %j',
    (text) => expect(parseVersion(text)).toBeNull(),
  );

  it.each([
    ['~1.2.3', '1.2.3', true],
    ['~1.2.3', '1.2.9', true],
    ['~1.2.3', '1.2.2', false],
    ['~1.2.3', '1.3.0', false],
    ['~1', '1.9.9', true],
    ['~1.2.3', '1.2.4-beta', false],
    ['~1.2.3-alpha', '1.2.3-beta', true],
    ['~1.2.3-beta', '1.2.3-alpha', false],
    ['~1.2.3-alpha', '1.2.4-beta', false],
    ['^1.2.3', '1.9.0', true],
    ['^1.2.3', '2.0.0', false],
    ['^1.2.3', '2.0.0-alpha', false],
    ['^0.2.3', '0.2.9', true],
    ['^0.2.3', '0.3.0', false],
    ['^0.0.3', '0.0.3', true],
    ['^0.0.3', '0.0.4', false],
    ['^0.0', '0.0.9', true],
    ['^0', '0.9.0', true],
    ['1.*', '1.9.9', true],
    ['1.*', '2.0.0', false],
    ['1.2.*', '1.2.0', true],
    ['1.2.x', '1.3.0', false],
    ['1.*.*', '1.3.0', true],
    ['*', '7.0.0', true],
    ['*', '7.0.0-beta', false],
    ['1.2', '1.2.7', true],
    ['1.2.3', '1.2.4', false],
  ])('%s holds %s: %s', (text, actual, expected) => {
    const from = text.slice(1);
    const range =
      text[0] === '~' ? tildeRange(version(from)) : text[0] === '^' ? caretRange(version(from)) : wildcardRange(text);
    expect(range && isInVersionRange(version(actual), range)).toBe(expected);
  });

  it.each(['', 'v', '1.*.3', '1.2.3.*', '1.2.3.4', 'a.*', '1.-2.*', '**'])('have no wildcard %j', (text) =>
    expect(wildcardRange(text)).toBeNull(),
  );
});
