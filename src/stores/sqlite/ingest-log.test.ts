import { describeIngestLog, type LogSetup } from '../../../test/contract/ingest-log.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openIngestLog } from './ingest-log.ts';
import { openIngestLogReader } from './ingest-log-reader.ts';

const setupIn = (dir: TempDir): LogSetup => ({
  openLog: async (bounds) => openIngestLog(dir.path('log.db'), bounds),
  openReader: async () => openIngestLogReader(dir.path('log.db')),
  copy: () => setupIn(dir.copy()),
  remove: async () => dir.remove(),
});

describeIngestLog('SQLite', () => setupIn(makeTempDir()));
