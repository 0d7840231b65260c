import { describeEventStore, type EventStoreSetup } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeReassignment } from '../../../test/contract/reassignment.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openEventStore } from './event-store.ts';

const placeIn = (dir: TempDir): EventStoreSetup => ({
  openStore: () => openEventStore(dir.path('events.duckdb')),
  copy: () => placeIn(dir.copy()),
  remove: async () => dir.remove(),
});

describeEventStore('DuckDB', () => placeIn(makeTempDir()));
describeMirror('DuckDB', () => placeIn(makeTempDir()));
describeReassignment('DuckDB', () => placeIn(makeTempDir()));
