import { describeEventStore, type EventPlace } from '../../../test/contract/event-store.ts';
import { describeMirror } from '../../../test/contract/mirror.ts';
import { describeRefiling } from '../../../test/contract/reassignment.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openEventStore } from './event-store.ts';

const placeIn = (dir: TempDir): EventPlace => ({
  openStore: () => openEventStore(dir.path('events.duckdb')),
  copy: () => placeIn(dir.copy()),
  remove: async () => dir.remove(),
});

describeEventStore('DuckDB', () => placeIn(makeTempDir()));
describeMirror('DuckDB', () => placeIn(makeTempDir()));
describeRefiling('DuckDB', () => placeIn(makeTempDir()));
