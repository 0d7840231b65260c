import type { Filter } from '../filters/property-filter.ts';

/** What a question counts: events of a name (null: any event), or an action. */
export type Entity = EventEntity | ActionEntity;

interface NamedEntity {
  name: string;
  customName: string | null;
  /** Applies to this entity only, in addition to the question's filter. */
  filter: Filter;
}

interface EventEntity extends NamedEntity {
  kind: 'event';
  id: string | null;
}

interface ActionEntity extends NamedEntity {
  kind: 'action';
  id: number;
  /** False where the project has no such action; then nothing matches. */
  isKnown: boolean;
  /** Part of the question, so that a cached answer is not used after the action has changed. */
  steps: readonly ActionStep[];
}

export const URL_MATCHINGS = ['contains', 'exact', 'regex'] as const;
type UrlMatching = (typeof URL_MATCHINGS)[number];

/**
 * All conditions have to hold; null means any. Conditions on the clicked element (tag, text, href, selector) are part of
 * the filter.
 */
export interface ActionStep {
  event: string | null;
  url: string | null;
  urlMatching: UrlMatching;
  filter: Filter;
}

/** An event belongs to an action if it fits at least one step. */
export interface ActionDefinition {
  id: number;
  name: string;
  steps: readonly ActionStep[];
}
