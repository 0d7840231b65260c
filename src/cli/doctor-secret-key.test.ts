import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkSecretKey } from './doctor-secret-key.ts';

const KEY = 'k'.repeat(44);
let root: string;
let dataDir: string;
let backups: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-doctor-'));
  dataDir = join(root, 'data');
  backups = join(root, 'backups');
  for (const folder of [dataDir, backups]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true }));

const keyFile = (folder: string, name = 'secret-key') => writeFileSync(join(folder, name), `${KEY}\n`, { mode: 0o600 });
const check = (secretKey: string | null = null, folder: string | null = backups) =>
  checkSecretKey({ secretKey, dataDir }, folder === null ? null : join(folder, 'backup.tar.gz'));

it('has nothing to say without a key', async () => {
  expect(await check()).toMatchObject({ state: 'ok', detail: 'none is needed yet' });
});

it('is content with a key that is apart from the backups', async () => {
  keyFile(dataDir);
  writeFileSync(join(backups, 'backup.tar.gz'), 'x'.repeat(1000));
  writeFileSync(join(backups, 'notes'), 'another text');
  expect(await check()).toMatchObject({ state: 'ok', detail: 'not in the folder of the last backup' });
  expect(await check(null, null)).toMatchObject({ state: 'ok' });
  expect(await check(null, join(root, 'unmounted'))).toMatchObject({ state: 'ok' });
});

it('warns of a copy beside the last backup, whatever its name', async () => {
  keyFile(dataDir);
  keyFile(backups, 'copy.txt');
  expect(await check()).toMatchObject({
    state: 'warning',
    detail: `${join(backups, 'copy.txt')} lies in the folder of the last backup`,
  });
});

it('warns of backups in the data folder itself', async () => {
  keyFile(dataDir);
  expect(await check(null, dataDir)).toMatchObject({ state: 'warning' });
});

it('warns of a file with the key of the settings', async () => {
  keyFile(backups, 'cairn.env.key');
  expect(await check(KEY)).toMatchObject({ state: 'warning' });
  expect(await check('another key of thirty-two letters')).toMatchObject({ state: 'ok' });
});

it('warns of a key that other users can read', async () => {
  keyFile(dataDir);
  chmodSync(join(dataDir, 'secret-key'), 0o644);
  expect(await check()).toMatchObject({ state: 'warning', advice: expect.stringContaining('chmod 600') });
});
