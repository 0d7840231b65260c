import { implicitUpdates, updatesPerson } from '../events/implicit-updates.ts';
import type { JsonObject } from '../json/json.ts';
import { overlay } from '../json/overlay.ts';
import type { PropertyUpdate } from './apply-properties.ts';

/** The part of an event that says what becomes of its person. */
interface PersonEvent {
  event: string;
  properties: JsonObject;
}

const NOTHING: PropertyUpdate = {};

/**
 * Everything an event asks of its person: `$set`, `$set_once` and `$unset` as it brings them, and what its properties
 * tell without being asked. The latest value beats an explicit `$set`; an explicit `$set_once` beats the `$initial_`
 * value, because browsers send the true first value there with an `$identify`.
 */
export function personUpdate({ event, properties }: PersonEvent): PropertyUpdate {
  if (!updatesPerson(event)) return NOTHING;
  const implicit = implicitUpdates([properties]);
  return {
    set: overlay(properties['$set'], implicit?.set),
    setOnce: overlay(implicit?.setOnce, properties['$set_once']),
    unset: properties['$unset'],
  };
}

/** Whether an event says nothing of its person beyond what its properties tell by themselves. */
export const hasOnlyImplicitUpdates = (properties: JsonObject): boolean =>
  properties['$set'] === undefined && properties['$set_once'] === undefined && properties['$unset'] === undefined;

/**
 * An event's properties as the wire shows them: with the implicit updates written out in `$set` and `$set_once`. They
 * follow from the other properties, so they are not stored: that would double the size of every browser event.
 */
export function withImplicitUpdates(telling: PersonEvent): JsonObject {
  const { properties } = telling;
  if (properties['$process_person_profile'] === false) return properties;
  const { set, setOnce } = personUpdate(telling);
  if (set === properties['$set'] && setOnce === properties['$set_once']) return properties;
  return { ...properties, ...(set && { $set: set }), ...(setOnce && { $set_once: setOnce }) };
}
