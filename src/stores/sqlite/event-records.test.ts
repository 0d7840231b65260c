import { describeCookielessVisitors } from '../../../test/contract/cookieless-visitors.ts';
import { describeDefinitions } from '../../../test/contract/definitions.ts';
import { describeEventRecords, type MetadataSetup } from '../../../test/contract/event-records.ts';
import { describeGroups } from '../../../test/contract/groups.ts';
import { describeOutbox } from '../../../test/contract/outbox.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

async function open(): Promise<MetadataSetup> {
  const dir = makeTempDir();
  const { metadata, ingest } = await openMigratedStore(dir.path('metadata.sqlite'));
  return {
    metadata,
    ingest,
    remove: async () => {
      await metadata.close();
      dir.remove();
    },
  };
}

describeEventRecords('SQLite', open);
describeDefinitions('SQLite', open);
describeCookielessVisitors('SQLite', open);
describeGroups('SQLite', open);
describeOutbox('SQLite', open);
