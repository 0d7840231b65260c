import { COOKIELESS_REFUSALS } from './refused-event.ts';

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
  'event_too_large',
  'event_has_too_many_keys',
  ...COOKIELESS_REFUSALS,
] as const;

export type DropReason = (typeof DROP_REASONS)[number];
