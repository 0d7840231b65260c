import type { Json } from '../json/json.ts';
import type { Event } from './event.ts';
import type { Warning } from './warning.ts';

/** Events that are about persons or groups and mean nothing without them. */
const NEEDS_PERSON: ReadonlySet<string> = new Set([
  '$identify',
  '$create_alias',
  '$merge_dangerously',
  '$groupidentify',
]);

/**
 * Whether the event makes or changes a person. Only a real `false` switches that off; other values are taken for true,
 * with a warning. An event that cannot do without a person is dropped.
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
