import { expect, it } from 'vitest';
import { readAudit } from '../scripts/audit.js';

const vulnerability = (severity: string) => ({
  name: 'package',
  severity,
  range: '<2.0.0',
  via: ['other', { title: 'Path traversal' }],
  fixAvailable: true,
});
const report = (...severities: string[]): string =>
  JSON.stringify({ vulnerabilities: Object.fromEntries(severities.map((one, i) => [i, vulnerability(one)])) });

it.each(['high', 'critical'])('fails on a %s vulnerability, and describes it', (severity) => {
  expect(readAudit(report('low', severity))).toEqual({
    kind: 'severe',
    lines: [`${severity}: package <2.0.0 (via other; Path traversal), fixed in a newer version`],
  });
});

it('succeeds without vulnerabilities, or with less severe ones', () => {
  expect(readAudit(report()).kind).toBe('clean');
  expect(readAudit(report('low', 'moderate'))).toEqual({
    kind: 'clean',
    lines: ['No high or critical vulnerabilities; less severe: 2.'],
  });
});

it.each([
  ['nothing', ''],
  ['no JSON', '<html>'],
  ['an error of the registry', '{"error": {"code": "ENOAUDIT", "summary": "405 Method Not Allowed"}}'],
  ['a message', '{"message": "405 Method Not Allowed", "statusCode": 405}'],
])('says that nothing was checked if the registry returns %s', (_name, text) => {
  const { kind, lines } = readAudit(text);
  expect([kind, lines]).toEqual(['unknown', [expect.stringContaining('Nothing was checked')]]);
});
