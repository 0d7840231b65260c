/** Drop reasons and warnings of the server, with what to do about them. */
const REASONS: Readonly<Record<string, string>> = {
  not_an_object: 'Not a JSON object. Send each event as an object with event and distinct_id.',
  missing_event_name: 'Missing event name. Set the event field.',
  missing_distinct_id: 'Missing distinct ID. Set distinct_id, or call identify first.',
  invalid_uuid: 'Invalid UUID. Send a valid one, or leave it out.',
  nested_too_deeply: 'Properties nested too deeply. Flatten them.',
  performance_event: 'Performance events are not supported. Turn them off in the SDK.',
  session_recording: 'Session recordings are not supported. Turn them off in the SDK.',
  client_ingestion_warning: 'A warning from the SDK. See the ingestion warnings.',
  person_processing_disabled: 'Would update a person, but person profiles are disabled for this event.',
  group_key_too_long: 'Group key too long.',
  event_too_large: 'Event too large (MAX_EVENT_BYTES). Send fewer or shorter properties.',
  event_has_too_many_keys: 'Event with too many keys (MAX_EVENT_KEYS). Send fewer properties.',
  cookieless_off: 'Visitor without cookies, and the project does not take them (cookieless_server_hash_mode).',
  cookieless_disallowed_event: 'Visitors without cookies cannot be merged.',
  cookieless_disallowed_identify: 'A visitor without cookies signed in: earlier events of the visit stay anonymous.',
  cookieless_missing_user_agent: 'Visitor without cookies, and without a user agent.',
  cookieless_missing_ip: 'Visitor without cookies, and without an address.',
  cookieless_missing_host: 'Visitor without cookies, and without a host ($host, or the Origin header).',
  cookieless_out_of_date: 'Visitor without cookies, sent more than a day late.',
  project_deleted: 'The project was deleted.',
};

const WARNINGS: Readonly<Record<string, string>> = {
  cannot_merge_already_identified: 'Merge refused: both persons are already identified.',
  cannot_merge_with_illegal_distinct_id: 'Merge refused: invalid distinct ID, such as null or undefined.',
  invalid_process_person_profile: '$process_person_profile must be true or false.',
  invalid_event_when_process_person_profile_is_false: 'This event requires person profiles, which are disabled for it.',
  skipping_event_invalid_uuid: 'Event dropped: invalid UUID.',
  group_key_too_long: 'Group key too long.',
  event_too_large: 'Event dropped: too large (MAX_EVENT_BYTES).',
  event_has_too_many_keys: 'Event dropped: too many keys (MAX_EVENT_KEYS).',
  person_properties_size_violation: 'Person not updated: its properties would exceed 128 kB.',
  group_properties_size_violation: 'Group not updated: its properties would exceed 128 kB.',
  client_ingestion_warning: 'Warning from the SDK.',
  ignored_invalid_timestamp: 'Invalid timestamp; the time of arrival was used.',
  event_timestamp_in_future: 'Timestamp in the future; the time of arrival was used.',
};

const humanize = (name: string): string => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

export const reasonText = (reason: string): string => REASONS[reason] ?? humanize(reason);
export const warningText = (type: string): string => WARNINGS[type] ?? humanize(type);
