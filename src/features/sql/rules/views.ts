/** The tables that a statement may name. Their columns are a promise: they change only by addition. */
import { HOT_PROPERTIES } from '../../../core/events/hot-properties.ts';

interface ViewColumn {
  name: string;
  type: string;
  about: string;
}

interface View {
  about: string;
  columns: readonly ViewColumn[];
}

const GROUP_INDEXES = [0, 1, 2, 3, 4] as const;
const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
const column = (name: string, type: string, about: string): ViewColumn => ({ name, type, about });

export const VIEWS = {
  events: {
    about: 'Every event, with the person it belongs to after all merges.',
    columns: [
      column('uuid', 'UUID', 'Identifies the event.'),
      column('event', 'String', 'The name, such as $pageview.'),
      column('timestamp', `DateTime64(6, 'UTC')`, 'When it happened.'),
      column('created_at', `DateTime64(6, 'UTC')`, 'When it was received.'),
      column('distinct_id', 'String', 'The id that the event was sent with.'),
      column('person_id', 'UUID', 'The person, after all merges.'),
      column('properties', 'String', 'All properties as JSON; read one as properties.plan.'),
      column('elements_chain', 'String', 'The clicked elements of an $autocapture event.'),
      ...GROUP_INDEXES.map((index) =>
        column(`$group_${index}`, 'Nullable(String)', `The key of the group of type ${index}.`),
      ),
      ...HOT_PROPERTIES.map((name) =>
        column(name, 'Nullable(String)', `The property ${name}, from a column of its own.`),
      ),
    ],
  },
  persons: {
    about: 'Everybody with a profile.',
    columns: [
      column('id', 'UUID', 'Identifies the person.'),
      column('created_at', `DateTime64(6, 'UTC')`, 'When the person was first seen.'),
      column('properties', 'String', 'All properties as JSON; read one as properties.email.'),
      column('is_identified', 'Bool', 'Whether the person has been identified.'),
    ],
  },
  person_distinct_ids: {
    about: 'Which person each distinct id belongs to.',
    columns: [column('distinct_id', 'String', 'The distinct id.'), column('person_id', 'UUID', 'The person.')],
  },
  sessions: {
    about: 'One row for each $session_id of the events.',
    columns: [
      column('session_id', 'String', 'The $session_id of its events.'),
      column('distinct_id', 'String', 'The distinct id of its last event.'),
      column('person_id', 'UUID', 'The person of its last event.'),
      column('$start_timestamp', `DateTime64(6, 'UTC')`, 'When its first event happened.'),
      column('$end_timestamp', `DateTime64(6, 'UTC')`, 'When its last event happened.'),
      column('$session_duration', 'Int64', 'Seconds from the first to the last event.'),
      column('$event_count', 'UInt64', 'How many events it has.'),
      column('$pageview_count', 'UInt64', 'How many of them are $pageview.'),
      column('$entry_current_url', 'Nullable(String)', 'The address of its first page.'),
      column('$end_current_url', 'Nullable(String)', 'The address of its last page.'),
      column('$entry_referring_domain', 'Nullable(String)', 'The referring domain of its first page.'),
      ...UTM_NAMES.map((name) => column(`$entry_utm_${name}`, 'Nullable(String)', `utm_${name} of its first page.`)),
      column('$is_bounce', 'Bool', 'One pageview, and shorter than ten seconds.'),
    ],
  },
  feature_flag_calls: {
    about: 'One row for each time that an SDK told which value a feature flag had ($feature_flag_called).',
    columns: [
      column('uuid', 'UUID', 'Identifies the event.'),
      column('timestamp', `DateTime64(6, 'UTC')`, 'When the flag was asked for.'),
      column('created_at', `DateTime64(6, 'UTC')`, 'When the event was received.'),
      column('distinct_id', 'String', 'The id that the flag was evaluated for.'),
      column('person_id', 'UUID', 'The person, after all merges.'),
      column('flag', 'Nullable(String)', 'The key of the flag.'),
      column('response', 'Nullable(String)', 'Its value: true, false, or the key of a variant.'),
      column('properties', 'String', 'All properties as JSON; read one as properties.$lib.'),
    ],
  },
  groups: {
    about: 'Groups such as companies.',
    columns: [
      column('index', 'Int64', 'The index of the group type, 0 to 4.'),
      column('type', 'String', 'The name of the group type.'),
      column('key', 'String', 'Identifies the group among those of its type.'),
      column('created_at', `DateTime64(6, 'UTC')`, 'When it was first seen.'),
      column('properties', 'String', 'All properties as JSON.'),
    ],
  },
  cohorts: {
    about: 'Cohorts that are not deleted.',
    columns: [
      column('id', 'Int64', 'Identifies the cohort.'),
      column('name', 'String', 'Its name.'),
      column('is_static', 'Bool', 'Whether its members are listed, rather than found by criteria.'),
      column('count', 'Nullable(Int64)', 'How many members it had when it was last calculated.'),
      column('last_calculation', `Nullable(DateTime64(6, 'UTC'))`, 'When it was last calculated.'),
    ],
  },
  cohort_people: {
    about: 'The members of cohorts, as of their last calculation.',
    columns: [column('cohort_id', 'Int64', 'The cohort.'), column('person_id', 'UUID', 'The member.')],
  },
} as const satisfies Record<string, View>;

type ViewName = keyof typeof VIEWS;

export const isView = (name: string): name is ViewName => Object.hasOwn(VIEWS, name);

const MADE_OF_EVENTS: readonly string[] = ['events', 'sessions', 'feature_flag_calls'] satisfies ViewName[];

export const isMadeOfEvents = (name: string): boolean => MADE_OF_EVENTS.includes(name);

/** Replaces `events` where properties of persons are read. */
export const EVENTS_WITH_PERSONS = 'events_with_persons';
/** Replaces `events` where nothing of persons is read: merged persons need not be looked up. It has no `person_id`. */
export const EVENTS_WITHOUT_PERSONS = 'events_without_persons';
