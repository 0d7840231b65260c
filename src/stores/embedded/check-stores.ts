import { join } from 'node:path';
import { DATA_FILES } from '../data-files.ts';
import type { EventFileStore } from '../duckdb/event-store.ts';
import type { StoreCheck } from '../folder-snapshots.ts';
import { HeldLog } from '../segment-log/held-log.ts';
import type { LogHead } from '../segment-log/log-head.ts';
import { openCheckedDatabase } from './inspect-folder.ts';

/** Reads every store of a running server completely. Slow, and blocks this thread. */
export async function checkStores(
  dataDir: string,
  head: LogHead,
  events: Pick<EventFileStore, 'verify' | 'verifySessions'>,
): Promise<StoreCheck[]> {
  return [
    await checked('metadata', async () => {
      const database = openCheckedDatabase(join(dataDir, DATA_FILES.metadata));
      const persons = database.readNumber('select count(*) from persons');
      const sizes = database.describeSizes();
      database.close();
      return `${persons} persons; ${sizes}`;
    }),
    await checked('ingest log', async () => {
      const log = HeldLog.open(join(dataDir, DATA_FILES.log), head.head);
      try {
        return `${log.verify()} requests in it`;
      } finally {
        log.close();
      }
    }),
    await checked('events', async () => `${await events.verify()} events`),
    await checked('sessions', async () => {
      const found = await events.verifySessions();
      if (found === null) return 'none are kept yet';
      const { sessions, differing } = found;
      if (differing === 0) return `${sessions} rows agree with their events`;
      throw new Error(`${differing} of ${sessions} rows differ from their events`);
    }),
  ];
}

async function checked(store: string, look: () => Promise<string>): Promise<StoreCheck> {
  try {
    return { store, problem: null, detail: await look() };
  } catch (error) {
    return { store, problem: (error as Error).message, detail: '' };
  }
}
