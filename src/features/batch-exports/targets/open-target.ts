import type { SecretKey } from '../../../lib/secret-key.ts';
import { encryptSetting } from '../../destinations/encrypt-setting.ts';
import type { ExportDestination, S3Destination } from '../rules/export-destination.ts';
import { ExportFailure, type ExportTarget } from './export-target.ts';
import { folderTarget } from './folder-target.ts';
import { s3Target } from './s3-target.ts';

/** What the operator allows. */
export interface TargetSettings {
  exportDir: string | null;
  exportAllowPrivate: boolean;
}

interface TargetOwner {
  id: string;
  projectId: number;
  destination: ExportDestination;
}

export const NO_EXPORT_DIR =
  'Files cannot be put into a folder of this server: its operator has to set EXPORT_DIR. S3 works without it.';

export function openTarget(
  { exportDir, exportAllowPrivate }: TargetSettings,
  key: SecretKey | null,
  { id, projectId, destination }: TargetOwner,
  signal: AbortSignal,
  now: () => number,
): ExportTarget {
  if (destination.type === 'Folder') {
    if (exportDir === null) throw new ExportFailure(NO_EXPORT_DIR, { isFinal: true });
    return folderTarget(exportDir, projectId);
  }
  const plain = openCredentials(key, id, destination);
  return s3Target({ destination: plain, isPrivateAllowed: exportAllowPrivate, signal, now });
}

/** Binds an encrypted credential to its place: it cannot be moved to another export. */
const about = (exportId: string, name: string): string => `batch export ${exportId} ${name}`;

/** Encrypts credentials that are new; those of `before` are encrypted already. */
export function sealCredentials(
  key: SecretKey | null,
  exportId: string,
  destination: ExportDestination,
  before: ExportDestination | null,
): ExportDestination {
  if (destination.type === 'Folder') return destination;
  const known = before?.type === 'S3' ? before : null;
  const seal = (name: 'accessKeyId' | 'secretAccessKey'): string => {
    const setting = { value: destination[name], stored: known?.[name], about: about(exportId, name) };
    return encryptSetting(key, setting, 'destination', 'Credentials');
  };
  return { ...destination, accessKeyId: seal('accessKeyId'), secretAccessKey: seal('secretAccessKey') };
}

function openCredentials(key: SecretKey | null, exportId: string, destination: S3Destination): S3Destination {
  const decrypt = (name: 'accessKeyId' | 'secretAccessKey'): string => {
    const plain = key?.decrypt(destination[name], about(exportId, name)) ?? null;
    if (plain === null)
      throw new ExportFailure('its credentials cannot be decrypted with the key of this server: enter them again', {
        isFinal: true,
      });
    return plain;
  };
  return { ...destination, accessKeyId: decrypt('accessKeyId'), secretAccessKey: decrypt('secretAccessKey') };
}
