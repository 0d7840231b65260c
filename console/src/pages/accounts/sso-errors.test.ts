import { expect, it } from 'vitest';
import { ssoErrorText } from './sso-errors.ts';

it('has a text for every code, and never shows what is in the address', () => {
  expect(ssoErrorText('sso_unavailable')).toContain('does not answer');
  expect(ssoErrorText('<b>')).toBe('Signing in did not work. Try again.');
  expect(ssoErrorText(null)).toBeNull();
});
