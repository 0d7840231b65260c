import { describe, expect, it } from 'vitest';
import { COMMON_PASSWORDS } from './common-passwords.ts';
import { findWeakness } from './weak-password.ts';

describe('weak passwords', () => {
  it.each([
    ['short', 'password_too_short'],
    ['aaaaaaaaaaaa', 'password_too_common'],
    ['abababababab', 'password_too_common'],
    ['password', 'password_too_common'],
    ['PassWord', 'password_too_common'],
    ['12345678', 'password_too_common'],
    ['1qaz2wsx', 'password_too_common'],
    ['ada.lovelace@engines.example', 'password_too_similar'],
    ['ADA.LOVELACE', 'password_too_similar'],
    ['adalovelace1', 'password_too_similar'],
    ['lovelace2024', 'password_too_similar'],
    ['engines.example', 'password_too_similar'],
    ['engines-ada', 'password_too_similar'],
  ])('refuses %s', (password, code) => {
    expect(findWeakness(password, 'ada.lovelace@engines.example')?.code).toBe(code);
  });

  it.each(['correct horse', 'analytical engine no. 1', 'password of ada.lovelace@engines.example', 'ünïcödé wörds'])(
    'accepts %s',
    (password) => {
      expect(findWeakness(password, 'ada.lovelace@engines.example')).toBeNull();
    },
  );

  it('does not look for the one-letter parts of an address', () => {
    expect(findWeakness('a fine sentence', 'a@b.co')).toBeNull();
  });

  it('knows the 10,000 most common ones', () => {
    expect(COMMON_PASSWORDS.size).toBe(10_000);
    expect([...COMMON_PASSWORDS].filter((password) => findWeakness(password, 'a@b.co') === null)).toEqual([]);
  });
});
