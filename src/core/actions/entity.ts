import type { Filter } from '../filters/property-filter.ts';

/** What a question counts: events of a name (null: any event), or an action, which is one of several kinds of events. */
export type Entity = EventEntity | ActionEntity;

interface NamedEntity {
  name: string;
  customName: string | null;
  /** The entity's own filter, beside the question's. */
  filter: Filter;
}

interface EventEntity extends NamedEntity {
  kind: 'event';
  id: string | null;
}

interface ActionEntity extends NamedEntity {
  kind: 'action';
  id: number;
  /** False where the project has no such action: it matches nothing. */
  isKnown: boolean;
  /** Written out, so that a question says by itself what it asks, and changes when the action does. */
  steps: readonly ActionStep[];
}

export const URL_MATCHINGS = ['contains', 'exact', 'regex'] as const;
type UrlMatching = (typeof URL_MATCHINGS)[number];

/**
 * All of it has to hold; what is null is not asked for. What a step says of the element that was clicked (tag, text,
 * address, selector) is part of its filter, as filters of elements.
 */
export interface ActionStep {
  event: string | null;
  url: string | null;
  urlMatching: UrlMatching;
  filter: Filter;
}

/** An action as the project keeps it. An event is one of the action's where it fits at least one step. */
export interface ActionDefinition {
  id: number;
  name: string;
  steps: readonly ActionStep[];
}
