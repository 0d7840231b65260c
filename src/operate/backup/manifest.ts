/** Describes a backup. It is the last file of the archive, so a truncated archive has none. */
import type { HashedFile } from '../../lib/tar.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import type { SnapshotCounts } from '../../stores/folder-snapshots.ts';
import { VERSION } from '../../version.ts';

export const MANIFEST = 'manifest.json';

const FORMAT = 'cairn-backup';
/** 2: the ingest log is a folder. */
const FORMAT_VERSION = 2;

export interface Manifest {
  format: typeof FORMAT;
  format_version: number;
  /** The version of Cairn that wrote it. */
  cairn: string;
  created_at: string;
  counts: SnapshotCounts;
  files: readonly HashedFile[];
}

/** What an archive may contain besides the manifest; the journal only if DuckDB could not merge it. */
const ARCHIVE_FILES: readonly string[] = [
  DATA_FILES.metadata,
  DATA_FILES.oldLog,
  DATA_FILES.events,
  `${DATA_FILES.events}.wal`,
];

const isSegment = (name: string): boolean => name.startsWith(`${DATA_FILES.log}/`) && /^[^/]+\/\d+\.log$/.test(name);
const isLog = (name: string): boolean => name === DATA_FILES.oldLog || isSegment(name);

export const isArchiveFile = (name: string): boolean =>
  name === MANIFEST || ARCHIVE_FILES.includes(name) || isSegment(name);

export const makeManifest = (at: number, counts: SnapshotCounts, files: readonly HashedFile[]): Manifest => ({
  format: FORMAT,
  format_version: FORMAT_VERSION,
  cairn: VERSION,
  created_at: new Date(at).toISOString(),
  counts,
  files,
});

/** Throws if the files do not match the manifest. */
export function checkManifest(text: string, found: readonly HashedFile[]): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT) throw new Error('it is not a backup of Cairn');
  if (manifest.format_version > FORMAT_VERSION) {
    throw new Error(`it was written by Cairn ${manifest.cairn}, whose backups this version cannot read`);
  }
  for (const { name, size, sha256 } of manifest.files) {
    const file = found.find((one) => one.name === name);
    if (!file) throw new Error(`${name} is missing in it`);
    if (file.size !== size || file.sha256 !== sha256) throw new Error(`${name} in it is not what was backed up`);
  }
  for (const needed of [DATA_FILES.metadata, DATA_FILES.events]) {
    if (!manifest.files.some(({ name }) => name === needed)) throw new Error(`${needed} is missing in it`);
  }
  if (!manifest.files.some(({ name }) => isLog(name))) throw new Error(`${DATA_FILES.log} is missing in it`);
  return manifest;
}
