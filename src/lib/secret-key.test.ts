import { statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../test/contract/temp-dir.ts';
import { SecretKey, secretKeyFile } from './secret-key.ts';

let dir: TempDir;
beforeEach(() => {
  dir = makeTempDir();
});
afterEach(() => dir.remove());

it('decrypts what it encrypted, for the same place alone', () => {
  const key = new SecretKey('a long text of the operator');
  const sealed = key.encrypt('JBSWY3DPEHPK3PXP', 'user 1');
  expect(sealed).not.toContain('JBSWY3DPEHPK3PXP');
  expect(key.encrypt('JBSWY3DPEHPK3PXP', 'user 1')).not.toBe(sealed);
  expect(key.decrypt(sealed, 'user 1')).toBe('JBSWY3DPEHPK3PXP');
  expect(key.decrypt(sealed, 'user 2')).toBeNull();
  expect(new SecretKey('another text').decrypt(sealed, 'user 1')).toBeNull();
  const damaged = Buffer.from(sealed, 'base64');
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  expect(key.decrypt(damaged.toString('base64'), 'user 1')).toBeNull();
  expect(key.decrypt('', 'user 1')).toBeNull();
});

it('keeps the key in a file for its user alone, and refuses a damaged one', () => {
  const sealed = secretKeyFile(dir.path('secret-key')).encrypt('secret', 'place');
  expect(statSync(dir.path('secret-key')).mode & 0o777).toBe(0o600);
  expect(secretKeyFile(dir.path('secret-key')).decrypt(sealed, 'place')).toBe('secret');
  writeFileSync(dir.path('secret-key'), '');
  expect(() => secretKeyFile(dir.path('secret-key'))).toThrow('is damaged');
});
