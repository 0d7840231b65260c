import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, stringifyExact } from './exact-json.ts';

const LONG = '1043520612345678901';

describe('parseExact', () => {
  it.each<[string, unknown]>([
    [LONG, 1043520612345678901n],
    [`-${LONG}`, -1043520612345678901n],
    [`[${LONG}, ${LONG}]`, [1043520612345678901n, 1043520612345678901n]],
    [
      `{"a":{"b":[{"c":${LONG}}]},"2":1,"1":${LONG}}`,
      { 1: 1043520612345678901n, 2: 1, a: { b: [{ c: 1043520612345678901n }] } },
    ],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['1000000000000000000', 1e18],
    ['1000000000000000000000', 1000000000000000000000n],
    ['9007199254740993', 9007199254740993n],
    ['1700000000000000', 1700000000000000],
    // Not written as whole numbers: as before.
    [`${LONG}.0`, Number(LONG)],
    [`${LONG}e3`, Number(`${LONG}e3`)],
    [`1e-${LONG}`, 0],
    ['0.30000000000000004', 0.30000000000000004],
    [`0.${LONG}`, Number(`0.${LONG}`)],
    ['-0', -0],
    ['1.0', 1],
    // Texts are left alone.
    [`{"${LONG}":"${LONG}"}`, { [LONG]: LONG }],
    [`["a: ${LONG} ,",${LONG}]`, [`a: ${LONG} ,`, 1043520612345678901n]],
    [`["\\",${LONG}","\\\\",${LONG}]`, [`",${LONG}`, '\\', 1043520612345678901n]],
    [`["\\u0000${LONG}","\\u0001",${LONG}]`, [`\u0000${LONG}`, '\u0001', 1043520612345678901n]],
    // Longer than any double: Infinity, as for every other reader.
    ['9'.repeat(308), BigInt('9'.repeat(308))],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
  ])('reads %s', (text, expected) => {
    expect(parseExact(text)).toStrictEqual(expected);
  });

  it.each([`{${LONG}:1}`, `0${LONG}`, `--${LONG}`, `[${LONG}`, `${LONG} ${LONG}`, `+${LONG}`])('refuses %s', (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('keeps __proto__ as a plain key', () => {
    const parsed = parseExact<Record<string, unknown>>(`{"__proto__":{"admin":${LONG}},"x":${LONG}}`);
    expect(Object.keys(parsed)).toEqual(['__proto__', 'x']);
    expect(parsed['admin']).toBeUndefined();
  });

  it('reads deep nesting', () => {
    const depth = 100_000;
    expect(parseExact(`${'['.repeat(depth)}${LONG}${']'.repeat(depth)}`)).toBeInstanceOf(Array);
  });
});

describe('stringifyExact', () => {
  it.each<[unknown, string]>([
    [1043520612345678901n, LONG],
    [{ a: [1043520612345678901n, 'b"', null, 1.5, true], u: undefined }, `{"a":[${LONG},"b\\"",null,1.5,true]}`],
    [[undefined, 1043520612345678901n], `[null,${LONG}]`],
    [{ at: new Date(0), id: 1043520612345678901n }, `{"at":"1970-01-01T00:00:00.000Z","id":${LONG}}`],
  ])('writes %j', (value, expected) => {
    expect(stringifyExact(value)).toBe(expected);
  });

  it('leaves the digits in a text where JSON.stringify is used', () => {
    expect(JSON.stringify({ id: 1043520612345678901n })).toBe(`{"id":"${LONG}"}`);
  });
});

describe('both', () => {
  it('agree with JSON on everything else', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const rounded = JSON.parse(text);
        expect(parseExact(text)).toStrictEqual(rounded);
        expect(stringifyExact(parseExact(text))).toBe(JSON.stringify(rounded));
      }),
    );
  });

  it('keep every whole number, beside any text', () => {
    const whole = fc.bigInt({ min: -(10n ** 300n), max: 10n ** 300n });
    fc.assert(
      fc.property(fc.array(fc.tuple(whole, fc.string({ unit: 'binary' }))), (list) => {
        const text = `[${list.map(([digits, other]) => `{${JSON.stringify(other)}:[${digits},${JSON.stringify(other)}]}`)}]`;
        expect(stringifyExact(parseExact(text))).toBe(text);
      }),
    );
  });
});
