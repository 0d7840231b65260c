/** Checks of the machine and the data folder that need no server. */
import { existsSync } from 'node:fs';
import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { diskSpace } from '../lib/disk-space.ts';
import { controlPath } from '../operate/control/control-path.ts';
import { DATA_FILES } from '../stores/data-files.ts';
import { type Finding, okFinding } from './doctor-server.ts';
import { formatBytes } from './output.ts';

const MIN_NODE_VERSION = [20, 19] as const;
const LOW_DISK_BYTES = 1_000_000_000;
const LOW_DISK_SHARE = 0.1;

export async function checkHost(config: Config, nodeVersion: string): Promise<Finding[]> {
  const { dataDir } = config;
  // Invalid settings have stopped the command before this.
  const findings = [okFinding('settings', `data in ${dataDir}`), checkNode(nodeVersion)];
  if (!existsSync(join(dataDir, DATA_FILES.metadata))) return findings;
  return [
    ...findings,
    await checkDisk(dataDir),
    await checkAccess(dataDir),
    await checkPermissions(dataDir),
    checkSocket(dataDir),
  ];
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = MIN_NODE_VERSION;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  const advice = `Install Node ${MIN_NODE_VERSION.join('.')} or newer.`;
  return isOld ? { about: 'node', state: 'bad', detail: version, advice } : okFinding('node', version);
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { dataBytes, freeBytes, totalBytes } = await diskSpace(dataDir);
  const detail = `${formatBytes(dataBytes)} of data, ${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`;
  const isLittle = freeBytes < Math.max(LOW_DISK_BYTES, dataBytes) && freeBytes < totalBytes * LOW_DISK_SHARE;
  if (freeBytes < LOW_DISK_BYTES || isLittle) {
    const advice =
      'Free disk space, move DATA_DIR to a larger disk, or keep events for fewer days (EVENTS_RETENTION_DAYS).';
    return { about: 'disk', state: freeBytes < LOW_DISK_BYTES / 4 ? 'bad' : 'warning', detail, advice };
  }
  return okFinding('disk', detail);
}

async function checkAccess(dataDir: string): Promise<Finding> {
  const names = (await readdir(dataDir)).filter((name) => /^ingest-log$|\.(?:sqlite|duckdb)/.test(name));
  const refused: string[] = [];
  for (const name of ['.', ...names]) {
    await access(join(dataDir, name), constants.R_OK | constants.W_OK).catch(() => refused.push(name));
  }
  const advice = `Change the owner to the user that runs Cairn: chown -R USER ${dataDir}`;
  return refused.length === 0
    ? okFinding('access', 'the data can be read and written')
    : { about: 'access', state: 'bad', detail: `not readable and writable here: ${refused.join(', ')}`, advice };
}

async function checkPermissions(dataDir: string): Promise<Finding> {
  const { mode } = await stat(dataDir);
  const shown = (mode & 0o777).toString(8);
  return (mode & 0o077) === 0
    ? okFinding('permissions', `only the owner can open the data folder (${shown})`)
    : {
        about: 'permissions',
        state: 'warning',
        detail: `other users of this machine can read the data folder (${shown})`,
        advice: `chmod 700 ${dataDir}`,
      };
}

function checkSocket(dataDir: string): Finding {
  return controlPath(dataDir) === null
    ? {
        about: 'commands',
        state: 'warning',
        detail: 'the path of the data folder is too long for a socket in it',
        advice: 'Commands work only while no server is running. Move the folder to a shorter path.',
      }
    : okFinding('commands', 'a running server can be reached');
}
