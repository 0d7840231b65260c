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

/** One deed, and how often or when it was done. */
export type CountedBehaviour =
  | { kind: 'performed_event'; deed: BehaviourEvent; within: Span }
  | { kind: 'performed_event_multiple'; deed: BehaviourEvent; within: Span; count: Count }
  | { kind: 'performed_event_first_time'; deed: BehaviourEvent; within: Span }
  | RegularBehaviour
  | { kind: 'stopped_performing_event'; deed: BehaviourEvent; within: Span; lately: Span }
  | { kind: 'restarted_performing_event'; deed: BehaviourEvent; within: Span; lately: Span };

export interface RegularBehaviour {
  kind: 'performed_event_regularly';
  deed: BehaviourEvent;
  /** The length of each period. */
  within: Span;
  count: Count;
  periods: { least: number; total: number };
}

/** One deed after another. */
export interface SequenceBehaviour {
  kind: 'performed_event_sequence';
  deed: BehaviourEvent;
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
  behaviour.kind === 'performed_event_sequence' ? [behaviour.deed, behaviour.next] : [behaviour.deed];

/** Ids of the actions that are asked for. */
export function referencedActions(criteria: Criteria): number[] {
  const deeds = leafCriteria(criteria).flatMap((leaf) =>
    leaf.kind === 'behaviour' ? eventsOfBehaviour(leaf.behaviour) : [],
  );
  return [...new Set(deeds.flatMap((deed) => (deed.kind === 'action' ? [deed.action] : [])))];
}

/** Ids of the cohorts that are asked for. */
export const referencedCohorts = (criteria: Criteria): number[] => [
  ...new Set(leafCriteria(criteria).flatMap((leaf) => (leaf.kind === 'cohort' ? [leaf.id] : []))),
];

export const hasBehaviour = (criteria: Criteria): boolean =>
  leafCriteria(criteria).some((leaf) => leaf.kind === 'behaviour');
