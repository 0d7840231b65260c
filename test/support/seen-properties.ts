import type { Event } from '../../src/core/events/event.ts';
import {
  impliedNames,
  isDefinable,
  type PropertyKind,
  type PropertyType,
  propertyBags,
  propertyType,
} from '../../src/core/events/property-types.ts';
import type { Json } from '../../src/core/json/json.ts';

interface SeenProperty {
  kind: PropertyKind;
  /** Which kind of group, for group properties. */
  groupType: string | null;
  name: string;
  type: PropertyType | null;
}

/** All properties that an event sets, each once. */
export function seenProperties(event: Event): SeenProperty[] {
  const found = new Map<string, SeenProperty>();
  const see = (kind: PropertyKind, groupType: string | null, name: string, value: Json): void => {
    const key = `${kind}:${name}`;
    const type = found.get(key)?.type ?? propertyType(name, value);
    found.set(key, { kind, groupType, name, type });
  };
  for (const { kind, groupType, values } of propertyBags(event)) {
    for (const name of Object.keys(values).filter(isDefinable)) {
      see(kind, groupType, name, values[name] ?? null);
      if (kind === 'event')
        for (const implied of impliedNames(event, name)) see('person', null, implied, values[name] ?? null);
    }
  }
  return [...found.values()];
}
