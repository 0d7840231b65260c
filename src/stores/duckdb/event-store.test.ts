import { describeEventStore, type EventStoreSetup } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeReassignment } from '../../../test/contract/reassignment.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { duckdbDialect } from './dialect.ts';
import { openEventStore } from './event-store.ts';

const setupIn = (dir: TempDir): EventStoreSetup => ({
  openStore: () => openEventStore(dir.path('events.duckdb')),
  dialect: duckdbDialect,
  copy: () => setupIn(dir.copy()),
  remove: async () => dir.remove(),
});

describeEventStore('DuckDB', () => setupIn(makeTempDir()));
describeMirror('DuckDB', () => setupIn(makeTempDir()));
describeReassignment('DuckDB', () => setupIn(makeTempDir()));
