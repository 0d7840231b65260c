/**
 * Carries out a run: file by file, each recorded when it has arrived, and the manifest last. Whatever ends the process in
 * between, the next attempt goes on behind the last recorded file, and writes the one that was not recorded again under
 * the same name. A run without a manifest did not happen.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../../../lib/ids.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { eventReader } from '../read/event-reader.ts';
import type { ModelReader, ReaderDeps, ReadRun } from '../read/model-reader.ts';
import { personReader } from '../read/person-reader.ts';
import { sessionReader } from '../read/session-reader.ts';
import type { ExportModel } from '../rules/export-destination.ts';
import { manifestText } from '../rules/export-manifest.ts';
import { extensionOf, manifestName, type NamedRun, partName } from '../rules/export-names.ts';
import type { ExportPart, ExportRun, StartedUpload } from '../store/batch-export-store.ts';
import { ExportFailure, type ExportTarget } from '../targets/export-target.ts';
import { type WritePartDeps, type WrittenPart, writePart } from './write-part.ts';

export interface ExecuteDeps extends ReaderDeps, WritePartDeps {
  ids: Ids;
  /** For files that are being written. */
  workFolder: string;
}

const READERS: Record<ExportModel, (deps: ReaderDeps, read: ReadRun) => Promise<ModelReader>> = {
  events: eventReader,
  persons: personReader,
  sessions: sessionReader,
};

/** Returns the run as it is at its end. `signal`: the process shall end. */
export async function executeRun(
  deps: ExecuteDeps,
  read: ReadRun,
  target: ExportTarget,
  signal: AbortSignal,
): Promise<ExportRun> {
  const { batchExports } = deps.metadata;
  let run = read.run;
  if (run.upload !== null) await target.abort(run.upload);
  const setUpload = async (upload: StartedUpload | null): Promise<void> => {
    run = { ...run, upload };
    await batchExports.saveRun(run);
  };
  if (run.upload !== null) await setUpload(null);
  const parts = await batchExports.listParts(run.id);
  const { prefix } = read.batchExport.destination;
  const named: NamedRun = { ...run, model: read.batchExport.model };
  const manifest = manifestName(prefix, named);
  // Whoever reads the files of a run that is repeated must not take them for whole.
  if (parts.length === 0 && run.earlierParts > 0) await target.delete(manifest);
  const path = join(deps.workFolder, `${run.id}-${deps.ids.uuid()}`);
  await mkdir(deps.workFolder, { recursive: true, mode: 0o700 });
  try {
    await writeParts(deps, read, parts, { target, named, path, setUpload, signal });
    for (let number = parts.length; number < run.earlierParts; number++)
      await target.delete(nameOf(read, named, number));
    await writeFile(path, manifestText(read.batchExport, run, parts), { mode: 0o600 });
    await target.put(
      manifest,
      { path, bytes: Buffer.byteLength(manifestText(read.batchExport, run, parts)) },
      setUpload,
    );
    return await complete(deps, run, parts, manifest);
  } finally {
    await rm(path, { force: true });
  }
}

interface Writing {
  target: ExportTarget;
  named: NamedRun;
  path: string;
  setUpload(upload: StartedUpload | null): Promise<void>;
  signal: AbortSignal;
}

const nameOf = ({ batchExport: { destination } }: ReadRun, named: NamedRun, number: number): string =>
  partName(destination.prefix, named, number, {
    extension: extensionOf(destination.fileFormat, destination.compression),
  });

/** Adds to `parts`. */
async function writeParts(deps: ExecuteDeps, read: ReadRun, parts: ExportPart[], writing: Writing): Promise<void> {
  const { target, named, path, setUpload, signal } = writing;
  const { destination } = read.batchExport;
  let reader = await READERS[read.batchExport.model](deps, read);
  for (;;) {
    if (signal.aborted) throw new ExportFailure('the server was stopped');
    const written = await writePart(deps, reader, parts.at(-1)?.position ?? null, destination, path);
    if (written === null) return;
    const name = nameOf(read, named, parts.length);
    await target.put(name, { path, bytes: written.bytes }, setUpload);
    const part = { ...written, number: parts.length, name };
    if (await record(deps.metadata, reader, read.run, part)) parts.push(part);
    else reader = await READERS[read.batchExport.model](deps, read);
  }
}

/** False: an event of the file belongs into another one, so it has to be written again. */
const record = (
  metadata: MetadataStore,
  reader: ModelReader,
  run: ExportRun,
  part: WrittenPart & { number: number; name: string },
): Promise<boolean> =>
  // No chunk of events is between its two commits while this transaction runs: what was read is noted by now.
  metadata.transaction(async (store) => {
    if (await reader.isOutdated(store)) return false;
    await store.batchExports.createPart(run, part);
    return true;
  });

const sum = (parts: readonly ExportPart[], field: 'records' | 'bytes'): number =>
  parts.reduce((total, part) => total + part[field], 0);

function complete(
  { metadata, clock }: ExecuteDeps,
  run: ExportRun,
  parts: readonly ExportPart[],
  manifest: string,
): Promise<ExportRun> {
  const now = clock.now();
  const done: ExportRun = {
    ...run,
    status: 'Completed',
    records: sum(parts, 'records'),
    bytes: sum(parts, 'bytes'),
    earlierParts: parts.length,
    failingSince: null,
    retryAt: null,
    error: null,
    manifest,
    upload: null,
    finishedAt: now,
    updatedAt: now,
  };
  return metadata.transaction(async ({ batchExports }) => {
    await batchExports.saveRun(done);
    const batchExport = await batchExports.get(run.projectId, run.exportId);
    const last = parts.at(-1)?.position;
    if (batchExport?.model === 'persons' && last !== undefined && run.endAt === batchExport.exportedUntil)
      await batchExports.update({ ...batchExport, personPosition: JSON.parse(last) });
    return done;
  });
}
