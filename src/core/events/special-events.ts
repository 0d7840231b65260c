import type { JsonObject } from '../json/json.ts';
import { cleanText, truncateText } from '../json/text.ts';
import type { DropReason } from './drop-reasons.ts';
import type { Warning } from './warning.ts';

const MAX_MESSAGE_LENGTH = 1000;

/** Session recordings, browser timings and client warnings are counted and dropped. */
const DROPPED_NAMES: ReadonlyMap<string, DropReason> = new Map([
  ['$performance_event', 'performance_event'],
  ['$snapshot', 'session_recording'],
  ['$snapshot_items', 'session_recording'],
  ['$$client_ingestion_warning', 'client_ingestion_warning'],
]);

/** Why an event of this name is not stored; undefined for ordinary events. A client's warning is recorded. */
export function specialEvent(
  name: string,
  properties: JsonObject,
  uuid: string,
  warnings: Warning[],
): DropReason | undefined {
  const reason = DROPPED_NAMES.get(name);
  if (reason === 'client_ingestion_warning') {
    const message = properties['$$client_ingestion_warning_message'];
    const text = typeof message === 'string' ? truncateText(cleanText(message), MAX_MESSAGE_LENGTH) : '';
    warnings.push({ type: 'client_ingestion_warning', details: { eventUuid: uuid, message: text } });
  }
  return reason;
}

/** Events that will be dropped, so that their contents need not be stored. */
export function isRecording(name: unknown): boolean {
  const reason = typeof name === 'string' ? DROPPED_NAMES.get(name) : undefined;
  return reason === 'session_recording' || reason === 'performance_event';
}
