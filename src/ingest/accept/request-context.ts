/** What the log keeps of a request beside its events, and the uuids of events that came without one. */
import type { VisitorFacts } from '../../core/events/enrich-properties.ts';
import { formatUuid } from '../../lib/ids.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';

export interface RequestContext extends VisitorFacts {
  ip: string | null;
  /** When the client sent the request by its own clock, ms; null if unknown. */
  sentAt: number | null;
  /** Sent to /engage/, where an event without a name is an `$identify`. */
  engage: boolean;
  /** Stored like any other, but not shown as live or announced by webhooks. */
  historical: boolean;
  /** Imported from another installation: an event's `created_at` is when it arrived there. */
  imported?: true;
}

export const serializeRequestContext = (context: RequestContext): string => JSON.stringify(context);

export const parseRequestContext = (text: string): RequestContext => JSON.parse(text);

/** The n-th event of an entry gets a time-ordered UUID (v7) from the entry's seed, the same whenever it is processed. */
export function derivedUuid({ receivedAt, seed }: Pick<LogEntry, 'receivedAt' | 'seed'>, index: number): string {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(receivedAt, 0, 6);
  seed.copy(bytes, 6, 0, 6);
  bytes.writeUInt32BE((seed.readUInt32BE(6) + index) >>> 0, 12);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return formatUuid(bytes);
}
