/** Compares unprocessed events one by one, because entries are split differently on the two sides. */
import { extractEvents } from '../../core/events/extract-events.ts';
import { stringifyExact } from '../../core/json/exact-json.ts';
import { parseJsonBytes } from '../../core/json/parse-json.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import { isProcessed } from '../../stores/ingest/log-progress.ts';
import { addText, type Checksums } from './checksums.ts';
import type { MoveSource } from './source.ts';
import type { MoveTarget } from './target.ts';
import type { TableComparison } from './verify-tables.ts';

type Entry = Pick<NewLogEntry, 'projectId' | 'receivedAt' | 'context' | 'payload'>;

const BATCH_EVENTS = 5000;
const BATCH_BYTES = 8 * 1024 * 1024;
const FETCH_ROWS = 100;

export async function compareLog(
  source: Pick<MoveSource, 'log' | 'progress'>,
  target: MoveTarget,
): Promise<TableComparison> {
  const here: Checksums = new Map();
  const there: Checksums = new Map();
  for (let at = source.progress.position; ; ) {
    const entries = source.log.read(at, BATCH_EVENTS, BATCH_BYTES);
    if (entries.length === 0) break;
    for (const entry of entries) if (!isProcessed(source.progress, entry)) addEntry(here, entry);
    at = entries.at(-1)?.seq ?? at;
  }
  await target.transaction(async () => {
    await target.client.query(`declare waiting cursor for
      select project_id as "projectId", received_at as "receivedAt", context, payload from log_entries`);
    for (;;) {
      const entries = await target.rows<Entry>(`fetch ${FETCH_ROWS} from waiting`);
      if (entries.length === 0) break;
      for (const entry of entries) addEntry(there, entry);
    }
  });
  return { source: here, target: there };
}

function addEntry(sums: Checksums, { projectId, receivedAt, context, payload }: Entry): void {
  const { events } = extractEvents(parseJsonBytes(payload));
  for (const event of events) addText(sums, String(projectId), `${receivedAt} ${context} ${stringifyExact(event)}`);
}
