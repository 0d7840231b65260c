import { describeIngestLog, type LogSetup } from '../../../test/contract/ingest-log.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { openIngestLog, type SegmentLog } from './ingest-log.ts';
import { openIngestLogReader } from './ingest-log-reader.ts';

const setupIn = (dir: TempDir, segmentBytes: number): LogSetup => {
  let log: SegmentLog;
  return {
    openLog: async (bounds) => {
      log = await openIngestLog(dir.path('log'), { ...bounds, segmentBytes });
      return log;
    },
    openReader: async () => openIngestLogReader(dir.path('log'), log.head),
    copy: () => setupIn(dir.copy(), segmentBytes),
    remove: async () => dir.remove(),
  };
};

describeIngestLog('segments', () => setupIn(makeTempDir(), 1e9));
describeIngestLog('many segments', () => setupIn(makeTempDir(), 2000));
