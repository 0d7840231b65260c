import { REFUSAL_REASONS } from './refused-event.ts';

/** Why an accepted event is not stored. The names are those of the metric and the API. */
export const DROP_REASONS = [
  'not_an_object',
  'missing_event_name',
  'missing_distinct_id',
  'invalid_uuid',
  'nested_too_deeply',
  'performance_event',
  'session_recording',
  'client_ingestion_warning',
  'person_processing_disabled',
  'group_key_too_long',
  ...REFUSAL_REASONS,
] as const;

export type DropReason = (typeof DROP_REASONS)[number];
