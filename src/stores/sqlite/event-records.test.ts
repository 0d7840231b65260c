import { describeDefinitions } from '../../../test/contract/definitions.ts';
import { describeEventRecords, type RelationalPlace } from '../../../test/contract/event-records.ts';
import { describeGroups } from '../../../test/contract/groups.ts';
import { describeOutbox } from '../../../test/contract/outbox.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openRelationalShelf } from './metadata-store.ts';

async function open(): Promise<RelationalPlace> {
  const dir = makeTempDir();
  const { metadata, ingest } = await openRelationalShelf(dir.path('metadata.sqlite'), 0);
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
describeGroups('SQLite', open);
describeOutbox('SQLite', open);
