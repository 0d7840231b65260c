import { implicitUpdates, updatesPerson } from '../events/implicit-updates.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { overlay } from '../json/overlay.ts';
import type { PropertyUpdate } from './apply-properties.ts';

/** The part of an event that updates its person. */
interface PersonEvent {
  event: string;
  properties: JsonObject;
}

const NOTHING: PropertyUpdate = {};

/**
 * The updates of an event: `$set`, `$set_once` and `$unset`, and the implicit ones of its properties. An implicit value
 * wins over `$set`, but `$set_once` wins over an implicit `$initial_` value, because browsers send the true first value
 * there with `$identify`.
 */
export function personUpdate({ event, properties }: PersonEvent): PropertyUpdate {
  if (!updatesPerson(event)) return NOTHING;
  const implicit = implicitUpdates([properties]);
  return {
    set: overlay(properties['$set'], implicit?.set),
    setOnce: overlay(implicit?.setOnce, properties['$set_once']),
    unset: allUnset(properties, implicit?.unset),
  };
}

/** What `$set` gives explicitly stays. */
function allUnset({ $set: set, $unset: unset }: JsonObject, implicit: readonly string[] | undefined): Json | undefined {
  if (implicit === undefined) return unset;
  const explicit = Array.isArray(unset) ? unset : isJsonObject(unset) ? Object.keys(unset) : [];
  return [...explicit, ...implicit.filter((key) => !isJsonObject(set) || set[key] === undefined)];
}

export const hasOnlyImplicitUpdates = (properties: JsonObject): boolean =>
  properties['$set'] === undefined && properties['$set_once'] === undefined && properties['$unset'] === undefined;

/**
 * An event's properties as the API shows them, with implicit updates in `$set` and `$set_once`. They are not stored,
 * because they follow from the other properties and would double the size of every browser event.
 */
export function withImplicitUpdates(event: PersonEvent): JsonObject {
  const { properties } = event;
  if (properties['$process_person_profile'] === false) return properties;
  const { set, setOnce } = personUpdate(event);
  if (set === properties['$set'] && setOnce === properties['$set_once']) return properties;
  return { ...properties, ...(set && { $set: set }), ...(setOnce && { $set_once: setOnce }) };
}
