import { Type } from '@sinclair/typebox';
import type { HistoryEntry } from '../../../core/persons/person-changes.ts';
import { DateTime, iso, isoOrNull, nullable } from '../../../http/schemas/common.ts';
import type { PersonActivity } from '../history/person-activity.ts';

const Count = Type.Integer();

export const PersonSummarySchema = Type.Object({
  events: Count,
  distinct_ids: Count,
  first_seen_at: nullable(DateTime),
  last_seen_at: nullable(DateTime),
});

export const presentSummary = ({ events, firstSeenAt, lastSeenAt }: PersonActivity, distinctIds: number) => ({
  events,
  distinct_ids: distinctIds,
  first_seen_at: isoOrNull(firstSeenAt),
  last_seen_at: isoOrNull(lastSeenAt),
});

export const PropertyHistorySchema = Type.Object({
  key: Type.String(),
  was_set: Type.Boolean({ description: 'Whether the property existed before.' }),
  is_set: Type.Boolean({ description: 'Whether it existed afterwards.' }),
  before: Type.Unknown(),
  after: Type.Unknown(),
  changed_at: DateTime,
  source_id: nullable(Type.String({ description: 'UUID of the event or of the activity log entry that changed it.' })),
});

/** A missing value is null; `was_set` and `is_set` distinguish it from a null that was sent. */
export const presentHistory = ({ key, before, after, at, eventUuid }: HistoryEntry) => ({
  key,
  was_set: before !== undefined,
  is_set: after !== undefined,
  before: before ?? null,
  after: after ?? null,
  changed_at: iso(at),
  source_id: eventUuid === '' ? null : eventUuid,
});
