import { describe, expect, it } from 'vitest';
import { digest, hashPassword, verifyPassword } from './secrets.ts';

it('digests a key with SHA-256', () => {
  expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('passwords', () => {
  it('are kept as scrypt with their parameters and a salt of their own', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(first).toMatch(/^scrypt\$16384\$8\$5\$[\w+/]{22}==\$[\w+/]{43}=$/);
    expect(second).not.toBe(first);
    expect(first).not.toContain('horse');
  });

  it('are recognised, and others are not', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('correct hors', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
  });

  it('are the same however accents are composed', async () => {
    expect(await verifyPassword('cafe\u0301 noir', await hashPassword('caf\u00e9 noir'))).toBe(true);
  });

  it('are never right without a hash', async () => {
    expect(await verifyPassword('', null)).toBe(false);
    expect(await verifyPassword('anything', null)).toBe(false);
  });

  it('are never right for a damaged hash', async () => {
    expect(await verifyPassword('x', 'scrypt$2$1$1$c2FsdA==$')).toBe(false);
  });
});
