/** Whether the key of the secrets is apart from the backups: whoever has both can read the secrets of authenticator apps. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import { type Finding, okFinding } from './doctor-server.ts';

const ABOUT = 'secret key';

/** `lastBackup`: the path of the last verified one, if it is known. */
export async function checkSecretKey(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  lastBackup: string | null,
): Promise<Finding> {
  const path = join(dataDir, DATA_FILES.secretKey);
  const inFile = await readFile(path, 'utf8').catch(() => null);
  const texts = [secretKey, inFile?.trim()].filter((text) => text !== null && text !== undefined);
  if (texts.length === 0) return okFinding(ABOUT, 'none is needed yet');
  const copy = lastBackup === null ? null : await findCopy(dirname(lastBackup), texts);
  if (copy !== null) {
    const advice = 'Keep it elsewhere: whoever gets hold of both can read the secrets of authenticator apps.';
    return { about: ABOUT, state: 'warning', detail: `${copy} lies in the folder of the last backup`, advice };
  }
  const { mode } = inFile === null ? { mode: 0 } : await stat(path);
  if ((mode & 0o077) !== 0) {
    const detail = `other users of this machine can read it (${(mode & 0o777).toString(8)})`;
    return { about: ABOUT, state: 'warning', detail, advice: `chmod 600 ${path}` };
  }
  return okFinding(ABOUT, lastBackup === null ? 'there' : 'not in the folder of the last backup');
}

/** A file with nothing but the key in it, whatever its name. */
async function findCopy(folder: string, texts: readonly string[]): Promise<string | null> {
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // With a line break or two.
    if (!found?.isFile() || found.size > longest + 4) continue;
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null && texts.includes(text.trim())) return path;
  }
  return null;
}
