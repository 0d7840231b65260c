import { Type } from '@sinclair/typebox';
import { parseExact } from '../../../core/json/exact-json.ts';
import type { Json } from '../../../core/json/json.ts';
import { isJsonNumber, isJsonObject } from '../../../core/json/json.ts';
import { DateTime, iso, isoOrNull, nullable, Uuid } from '../../../http/schemas/common.ts';
import type { EventFate } from '../../../ingest/track/event-fate.ts';
import type { DroppedEvent } from '../../../stores/ingest/ingest-store.ts';
import type { DeadLetter, IngestionWarning } from '../../../stores/metadata/event-records.ts';

export const EventFateSchema = Type.Object({
  uuid: Uuid,
  fate: Type.Union(
    ['stored', 'pending', 'dead_lettered', 'dropped', 'removed'].map((fate) => Type.Literal(fate)),
    {
      description: '`removed`: it was stored, and has been removed since.',
    },
  ),
  reason: nullable(Type.String({ description: 'Why it was dropped, or the error that set it aside.' })),
  accepted_at: DateTime,
  stored_at: nullable(Type.String({ format: 'date-time', description: 'Known where it came with an id of its own.' })),
  dropped_at: nullable(DateTime),
  dead_lettered_at: nullable(DateTime),
  dead_letter_id: nullable(Type.Integer()),
  duplicates: Type.Integer({ description: 'How often it came again, and was passed over.' }),
});

export const presentEventFate = (fate: EventFate) => ({
  uuid: fate.uuid,
  fate: fate.fate,
  reason: fate.reason,
  accepted_at: iso(fate.acceptedAt),
  stored_at: isoOrNull(fate.storedAt),
  dropped_at: isoOrNull(fate.droppedAt),
  dead_lettered_at: isoOrNull(fate.deadLetteredAt),
  dead_letter_id: fate.deadLetterId,
  duplicates: fate.duplicates,
});

export const DroppedEventSchema = Type.Object({
  uuid: Uuid,
  reason: Type.String(),
  received_at: DateTime,
  dropped_at: DateTime,
});

export const presentDroppedEvent = ({ uuid, reason, receivedAt, droppedAt }: DroppedEvent) => ({
  uuid,
  reason,
  received_at: iso(receivedAt),
  dropped_at: iso(droppedAt),
});

export const DeadLetterSchema = Type.Object({
  id: Type.Integer(),
  event_uuid: Uuid,
  event: nullable(Type.String()),
  distinct_id: nullable(Type.String()),
  error: Type.String(),
  payload: Type.Record(Type.String(), Type.Unknown()),
  request_events: nullable(
    Type.Integer({ description: 'The number of events of a request that was set aside as a whole; it is not shown.' }),
  ),
  received_at: DateTime,
  failed_at: DateTime,
});

export const ReplayedLettersSchema = Type.Object({
  success: Type.Literal(true),
  replayed: Type.Integer({ description: 'Events, or whole requests, that are processed again.' }),
  remaining: Type.Integer({ description: 'Dead letters that are left, including those that have failed again.' }),
});

export const ReplayedSchema = Type.Object({ success: Type.Literal(true), event_uuid: Uuid });

/** What failed may look like anything: only texts and numbers are shown as names. */
const nameOf = (value: Json | undefined): string | null =>
  typeof value === 'string' || isJsonNumber(value) ? String(value) : null;

export const presentDeadLetter = (letter: DeadLetter) => {
  // A whole request is not parsed here either.
  const payload: Json = letter.requestEvents === null ? parseExact(letter.payload) : {};
  const raw = isJsonObject(payload) ? payload : {};
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : {};
  return {
    id: letter.id,
    event_uuid: letter.eventUuid,
    event: nameOf(raw['event']),
    distinct_id: nameOf(raw['distinct_id'] ?? raw['$distinct_id'] ?? properties['distinct_id']),
    error: letter.error,
    payload: raw,
    request_events: letter.requestEvents,
    received_at: iso(letter.receivedAt),
    failed_at: iso(letter.failedAt),
  };
};

export const IngestionWarningSchema = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  timestamp: DateTime,
  details: Type.Record(Type.String(), Type.Unknown()),
});

export const presentIngestionWarning = ({ id, type, at, details }: IngestionWarning) => ({
  id,
  type,
  timestamp: iso(at),
  details: parseExact(details) as Json,
});
