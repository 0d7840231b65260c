interface OrderedEvent {
  distinctId: string;
  personId: string;
}

/**
 * Events that have to be sent one after the other, in their order: those of one distinct id, and those of one person. The
 * lanes do not depend on each other.
 */
export function lanesOf<E extends OrderedEvent>(events: readonly E[]): E[][] {
  const lanes = new Map<string, E[]>();
  for (const event of events) {
    const byId = `id ${event.distinctId}`;
    const byPerson = `person ${event.personId}`;
    const lane = lanes.get(byId) ?? lanes.get(byPerson) ?? [];
    lane.push(event);
    lanes.set(byId, lane);
    // The lane of the distinct id wins where the two differ.
    if (!lanes.has(byPerson)) lanes.set(byPerson, lane);
  }
  return [...new Set(lanes.values())];
}
