import { hotProperties } from '../../src/core/events/hot-properties.ts';
import type { Json } from '../../src/core/json/json.ts';
import type { StoredEvent } from '../../src/stores/events/event-store.ts';

/** A UUID that is easy to read in a failing test. */
export const uuidOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

let next = 1;

type EventFields = Omit<StoredEvent, 'properties' | 'parsed' | 'hot'> & { properties: Record<string, Json> };

/** A valid event; `properties` are given as an object, and text and hot columns follow from them. */
export function anEvent(over: Partial<EventFields> = {}): StoredEvent {
  const properties = over.properties ?? { plan: 'pro', $browser: 'Firefox' };
  return {
    projectId: 1,
    uuid: uuidOf(next++),
    event: 'ping',
    distinctId: 'ada',
    personId: uuidOf(0xaaaa),
    timestamp: 1_700_000_000_123,
    createdAt: 1_700_000_001_456,
    elementsChain: '',
    groups: [null, null, null, null, null],
    ...over,
    properties: JSON.stringify(properties),
    parsed: properties,
    hot: hotProperties(properties),
  };
}
