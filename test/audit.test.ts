import { expect, it } from 'vitest';
import { verdictOn } from '../scripts/audit.js';

const hole = (severity: string) => ({
  name: 'package',
  severity,
  range: '<2.0.0',
  via: ['other', { title: 'Reads what it should not' }],
  fixAvailable: true,
});
const report = (...severities: string[]): string =>
  JSON.stringify({ vulnerabilities: Object.fromEntries(severities.map((one, i) => [i, hole(one)])) });

it.each(['high', 'critical'])('fails where a hole is %s, and says which', (severity) => {
  expect(verdictOn(report('low', severity))).toEqual({
    kind: 'grave',
    lines: [`${severity}: package <2.0.0 (through other; Reads what it should not), and a newer version mends it`],
  });
});

it('goes on where there are none, or lesser ones', () => {
  expect(verdictOn(report()).kind).toBe('clean');
  expect(verdictOn(report('low', 'moderate'))).toEqual({
    kind: 'clean',
    lines: ['No grave holes are known; lesser ones: 2.'],
  });
});

it.each([
  ['nothing', ''],
  ['no JSON', '<html>'],
  ['an error of the registry', '{"error": {"code": "ENOAUDIT", "summary": "405 Method Not Allowed"}}'],
  ['a message', '{"message": "405 Method Not Allowed", "statusCode": 405}'],
])('says that it could not be had where the registry gives %s', (_name, text) => {
  const { kind, lines } = verdictOn(text);
  expect([kind, lines]).toEqual(['unknown', [expect.stringContaining('could not be had')]]);
});
