import type { JsonObject } from '../json/json.ts';
import type { CookielessRefusal } from './refused-event.ts';

type WarningType =
  | CookielessRefusal
  | 'cannot_merge_already_identified'
  | 'cannot_merge_with_illegal_distinct_id'
  | 'client_ingestion_warning'
  | 'event_has_too_many_keys'
  | 'event_timestamp_in_future'
  | 'event_too_large'
  | 'group_key_too_long'
  | 'group_properties_size_violation'
  | 'ignored_invalid_timestamp'
  | 'invalid_event_when_process_person_profile_is_false'
  | 'invalid_process_person_profile'
  | 'person_properties_size_violation'
  | 'skipping_event_invalid_distinct_id'
  | 'skipping_event_invalid_uuid'
  | 'too_many_event_names'
  | 'too_many_property_names';

/** A problem with one event, shown to the project. */
export interface Warning {
  type: WarningType;
  details: JsonObject;
}
