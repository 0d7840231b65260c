import { expect, it } from 'vitest';
import { randomIds } from '../../../lib/ids.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';

it('are ten different codes, recognized however they are typed', () => {
  const codes = newRecoveryCodes(randomIds);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  const [code = ''] = codes;
  const hash = recoveryCodeHash(code);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  for (const typed of [code.toUpperCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `]) {
    expect(recoveryCodeHash(typed)).toBe(hash);
  }
});

it.each(['', '123456', 'ilou0-00000', 'x'.repeat(1_000_000), '\u0000'.repeat(10)])('are not %.20j', (text) => {
  expect(recoveryCodeHash(text)).toBeNull();
});
