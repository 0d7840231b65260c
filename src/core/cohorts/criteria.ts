/**
 * What makes somebody a member of a cohort, whatever shape it came in. `parse-criteria.ts` reads it, `is-member.ts` says
 * what it means, `query/cohorts/cohort-members.ts` finds the members.
 */
import type { CohortFilter } from '../filters/cohort-filter.ts';
import type { Filter } from '../filters/property-filter.ts';
import type { Span } from '../time/span.ts';

/** Something about the person itself; its own negation is already in the operators. */
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
/** Null: nothing is asked for, and nobody is in. */
export type Criteria = Criterion | null;

/** An event by its name, or one of an action's by the action's number, and by its properties where they matter. */
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

/** Ids of the actions that are asked for. */
export function referencedActions(criteria: Criteria): number[] {
  const events = leafCriteria(criteria).flatMap((leaf) =>
    leaf.kind === 'behaviour' ? eventsOfBehaviour(leaf.behaviour) : [],
  );
  return [...new Set(events.flatMap((event) => (event.kind === 'action' ? [event.action] : [])))];
}

/** Ids of the cohorts that are asked for. */
export const referencedCohorts = (criteria: Criteria): number[] => [
  ...new Set(leafCriteria(criteria).flatMap((leaf) => (leaf.kind === 'cohort' ? [leaf.id] : []))),
];

export const hasBehaviour = (criteria: Criteria): boolean =>
  leafCriteria(criteria).some((leaf) => leaf.kind === 'behaviour');
