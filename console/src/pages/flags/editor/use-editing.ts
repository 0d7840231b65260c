/** A flag while it is edited: what it was when that began, and what it is to become. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FeatureFlag } from '../../../api/flags.ts';
import { changesOf, type Draft, draftOf, NEW_DRAFT, rebase } from '../model/draft.ts';
import type { Filters } from '../model/filters.ts';

interface State {
  basis: Draft;
  /** Of the flag when the changes began; 0 for a new one. */
  version: number;
  draft: Draft;
}

export interface Editing extends State {
  isDirty: boolean;
  change(changes: Partial<Draft>): void;
  changeFilters(change: (filters: Filters) => Filters): void;
  /** Drops all changes and goes by this flag. */
  reset(flag: FeatureFlag | null): void;
  /** Goes by this newer flag, with what was changed here still on top. */
  takeOn(flag: FeatureFlag): void;
}

/** Work is not lost by looking at another page; it ends with the window. */
const kept = new Map<string, State>();

const fresh = (flag: FeatureFlag | null): State => {
  const basis = flag === null ? NEW_DRAFT : draftOf(flag);
  return { basis, draft: basis, version: flag?.version ?? 0 };
};

/** `place` names the flag among all that could be edited. */
export function useEditing(place: string, flag: FeatureFlag | null): Editing {
  const [state, setState] = useState<State>(() => kept.get(place) ?? fresh(flag));
  const isDirty = useMemo(() => Object.keys(changesOf(state.basis, state.draft)).length > 0, [state]);
  useEffect(() => {
    if (isDirty) kept.set(place, state);
    else kept.delete(place);
  }, [place, state, isDirty]);
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);
  const draftBy = (next: (draft: Draft) => Draft): void => setState((now) => ({ ...now, draft: next(now.draft) }));
  return {
    ...state,
    isDirty,
    change: (changes) => draftBy((draft) => ({ ...draft, ...changes })),
    changeFilters: (change) => draftBy((draft) => ({ ...draft, filters: change(draft.filters) })),
    reset: (next) => {
      // At once: whoever resets may leave the page before it is drawn again.
      kept.delete(place);
      setState(fresh(next));
    },
    takeOn: (next) =>
      setState(({ basis, draft }) => {
        const theirs = draftOf(next);
        return { basis: theirs, draft: rebase(basis, draft, theirs), version: next.version };
      }),
  };
}
