import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { curlFor } from './curl.ts';

it('is safe in a shell, whatever the event is named', () => {
  const body = { events: [{ id: `it's $(touch /tmp/x) "quoted" \`x\` \\` }] };
  const command = curlFor(`https://cairn.example.org/a'b`, body);
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; CAIRN_API_KEY=key; ${command}`]);
  expect(printed.toString().split('\n')).toEqual([
    `https://cairn.example.org/a'b`,
    '-H',
    'Authorization: Bearer key',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(body),
    '',
  ]);
});
