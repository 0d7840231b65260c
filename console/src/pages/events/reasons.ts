/** What the server's words for its decisions mean, and what to do about them. */
const REASONS: Readonly<Record<string, string>> = {
  not_an_object: 'It was no JSON object. Send events as objects with a name and a distinct id.',
  missing_event_name: 'It had no name. Set its name in event.',
  missing_distinct_id: 'It had no distinct id. Send a distinct_id, or call identify before capture.',
  invalid_uuid: 'Its uuid was none. Leave it out, or send a true one.',
  nested_too_deeply: 'Its properties were nested too deeply to be read safely. Flatten them.',
  performance_event: 'Performance events are not kept. Switch them off in the SDK.',
  session_recording: 'Session recordings are not kept. Switch them off in the SDK.',
  client_ingestion_warning: 'It was a warning of the SDK; it is in the list of warnings.',
  person_processing_disabled: 'It would have changed a person, but was sent without person profiles.',
  group_key_too_long: 'Its group key was too long.',
  project_deleted: 'Its project was deleted before it was processed.',
};

const WARNINGS: Readonly<Record<string, string>> = {
  cannot_merge_already_identified: 'A merge was refused: both persons are identified already.',
  cannot_merge_with_illegal_distinct_id: "A merge was refused: 'null', 'undefined' and the like are nobody's id.",
  invalid_process_person_profile: '$process_person_profile was neither true nor false.',
  invalid_event_when_process_person_profile_is_false: 'An event about persons was sent without person profiles.',
  skipping_event_invalid_uuid: 'An event was dropped because its uuid was none.',
  group_key_too_long: 'A group key was too long.',
  client_ingestion_warning: 'The SDK warns of something.',
  ignored_invalid_timestamp: 'A time could not be read; the time of arrival was taken.',
  event_timestamp_in_future: 'An event came from the future; the time of arrival was taken.',
};

const words = (name: string): string => name.replaceAll('_', ' ');

export const reasonText = (reason: string): string => REASONS[reason] ?? words(reason);
export const warningText = (type: string): string => WARNINGS[type] ?? words(type);
