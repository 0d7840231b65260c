/** Who goes through a funnel: persons, or the groups of one kind. */
export type Actor = { kind: 'person' } | { kind: 'group'; index: number };
