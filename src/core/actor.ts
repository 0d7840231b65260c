/** Who acts in an event: persons, or the groups of one type. */
export type Actor = { kind: 'person' } | { kind: 'group'; index: number };
