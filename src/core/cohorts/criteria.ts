/**
 * The criteria of a cohort, whatever form they were sent in. `parse-criteria.ts` reads them,
 * `query/cohorts/cohort-members.ts` finds the members.
 */
import type { CohortFilter } from '../filters/cohort-filter.ts';
import type { Filter } from '../filters/property-filter.ts';
import type { Span } from '../time/span.ts';

/** A filter on person properties; a negation is part of its operators. */
export interface PersonCriterion {
  kind: 'person';
  filter: Filter;
}

/** What the person did, and when. */
interface BehaviourCriterion {
  kind: 'behaviour';
  behaviour: Behaviour;
  negated: boolean;
}

interface CriteriaGroup {
  kind: 'and' | 'or';
  /** Never empty. */
  criteria: readonly Criterion[];
}

type LeafCriterion = PersonCriterion | CohortFilter | BehaviourCriterion;
export type Criterion = LeafCriterion | CriteriaGroup;
/** Null: there are no criteria, and no members. */
export type Criteria = Criterion | null;

/** An event by name or by the id of an action, with a filter on its properties. */
export type BehaviourEvent = { filter: Filter } & (
  | { kind: 'event'; event: string }
  | { kind: 'action'; action: number }
);

export const COUNT_OPERATORS = ['gte', 'lte', 'gt', 'lt', 'eq'] as const;

export interface Count {
  operator: (typeof COUNT_OPERATORS)[number];
  value: number;
}

/** One event, and how often or when it was performed. */
export type CountedBehaviour =
  | { kind: 'performed_event'; performed: BehaviourEvent; within: Span }
  | { kind: 'performed_event_multiple'; performed: BehaviourEvent; within: Span; count: Count }
  | { kind: 'performed_event_first_time'; performed: BehaviourEvent; within: Span }
  | RegularBehaviour
  | { kind: 'stopped_performing_event'; performed: BehaviourEvent; within: Span; recent: Span }
  | { kind: 'restarted_performing_event'; performed: BehaviourEvent; within: Span; recent: Span };

export interface RegularBehaviour {
  kind: 'performed_event_regularly';
  performed: BehaviourEvent;
  /** The length of each period. */
  within: Span;
  count: Count;
  periods: { min: number; total: number };
}

/** One event after another. */
export interface SequenceBehaviour {
  kind: 'performed_event_sequence';
  performed: BehaviourEvent;
  within: Span;
  next: BehaviourEvent;
  nextWithin: Span;
}

export type Behaviour = CountedBehaviour | SequenceBehaviour;

export function leafCriteria(criteria: Criteria): LeafCriterion[] {
  if (criteria === null) return [];
  return 'criteria' in criteria ? criteria.criteria.flatMap(leafCriteria) : [criteria];
}

export const eventsOfBehaviour = (behaviour: Behaviour): BehaviourEvent[] =>
  behaviour.kind === 'performed_event_sequence' ? [behaviour.performed, behaviour.next] : [behaviour.performed];

export function referencedActions(criteria: Criteria): number[] {
  const events = leafCriteria(criteria).flatMap((leaf) =>
    leaf.kind === 'behaviour' ? eventsOfBehaviour(leaf.behaviour) : [],
  );
  return [...new Set(events.flatMap((event) => (event.kind === 'action' ? [event.action] : [])))];
}

export const referencedCohorts = (criteria: Criteria): number[] => [
  ...new Set(leafCriteria(criteria).flatMap((leaf) => (leaf.kind === 'cohort' ? [leaf.id] : []))),
];

export const hasBehaviour = (criteria: Criteria): boolean =>
  leafCriteria(criteria).some((leaf) => leaf.kind === 'behaviour');
