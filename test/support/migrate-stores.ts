/** Once per run: a data folder with all migrations. Every server of a test starts on a copy, as after an earlier start. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    migratedFolder: string;
  }
}

export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-migrated-'));
  const { metadata } = await openMetadataStore(join(folder, DATA_FILES.metadata), 0, tablesOf(FEATURES));
  await metadata.close();
  const events = await openEventStore(join(folder, DATA_FILES.events));
  await events.close();
  project.provide('migratedFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
