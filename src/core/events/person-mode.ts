import type { Json } from '../json/json.ts';
import type { Event } from './event.ts';
import type { Warning } from './warning.ts';

/** Events that have no meaning without persons. */
const NEEDS_PERSON: ReadonlySet<string> = new Set([
  '$identify',
  '$create_alias',
  '$merge_dangerously',
  '$groupidentify',
]);

/**
 * Whether the event creates or changes a person. Only `false` turns that off; other values count as true, with a warning.
 * An event that needs a person is then dropped.
 */
export function personMode(
  flag: Json | undefined,
  name: string,
  who: { uuid: string; distinctId: string },
  project: { personProcessing?: boolean },
  warnings: Warning[],
): Event['person'] | 'drop' {
  const details = { event: name, eventUuid: who.uuid, distinctId: who.distinctId };
  if (flag !== false && project.personProcessing !== false) {
    if (flag !== undefined && flag !== true) warnings.push({ type: 'invalid_process_person_profile', details });
    return 'full';
  }
  if (!NEEDS_PERSON.has(name)) return 'none';
  warnings.push({ type: 'invalid_event_when_process_person_profile_is_false', details });
  return 'drop';
}
