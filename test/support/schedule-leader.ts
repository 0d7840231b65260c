/** A process that makes scheduled changes as if it were the leader, on the PostgreSQL at DATABASE_URL. */
import { scheduledChangesTask } from '../../src/features/scheduled-changes/run/run-due-changes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import { FEATURES, tablesOf } from '../../src/runtime/features.ts';
import { openPostgresMetadataStore } from '../../src/stores/postgres/metadata-store.ts';

const url = process.env['DATABASE_URL'] ?? '';
const { metadata } = await openPostgresMetadataStore(url, Date.now(), { size: 2 }, tablesOf(FEATURES));
const deps = { metadata, clock: systemClock, ids: randomIds, config: { publicUrl: null } };
scheduledChangesTask({ ...deps, flagSnapshots: { invalidate: () => undefined }, logger: openLog('silent') }).start();
console.log('ready');
