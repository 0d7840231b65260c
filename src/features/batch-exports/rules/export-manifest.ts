/** The last file of a run: which files there are, with counts and checksums. The same text for the same files. */
import type { ExportDestination, ExportModel } from './export-destination.ts';

interface ManifestExport {
  id: string;
  model: ExportModel;
  destination: ExportDestination;
}

interface ManifestRun {
  id: string;
  projectId: number;
  startAt: number;
  endAt: number;
}

interface ManifestFile {
  name: string;
  records: number;
  bytes: number;
  sha256: string;
}

export function manifestText(
  { id, model, destination }: ManifestExport,
  run: ManifestRun,
  files: readonly ManifestFile[],
): string {
  const manifest = {
    version: 1,
    project: run.projectId,
    batch_export: id,
    run: run.id,
    model,
    data_interval_start: new Date(run.startAt).toISOString(),
    data_interval_end: new Date(run.endAt).toISOString(),
    file_format: destination.fileFormat,
    compression: destination.compression,
    records: files.reduce((total, { records }) => total + records, 0),
    files: files.map(({ name, records, bytes, sha256 }) => ({ name, records, bytes, sha256 })),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
