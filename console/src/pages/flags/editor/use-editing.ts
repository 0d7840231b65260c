/** The unsaved changes of a flag. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FeatureFlag } from '../../../api/flags.ts';
import { changesOf, type Draft, draftOf, NEW_DRAFT, rebase } from '../model/draft.ts';
import type { Filters } from '../model/filters.ts';

interface State {
  base: Draft;
  /** The version that is edited; 0 for a new flag. */
  version: number;
  draft: Draft;
}

export interface Editing extends State {
  isDirty: boolean;
  change(changes: Partial<Draft>): void;
  changeFilters(change: (filters: Filters) => Filters): void;
  /** Discards all changes and starts from this flag. */
  reset(flag: FeatureFlag | null): void;
  /** Applies the changes on top of this newer flag. */
  rebaseOn(flag: FeatureFlag): void;
}

/** Unsaved changes survive navigation, until the window is closed. */
const drafts = new Map<string, State>();

const initial = (flag: FeatureFlag | null): State => {
  const base = flag === null ? NEW_DRAFT : draftOf(flag);
  return { base, draft: base, version: flag?.version ?? 0 };
};

/** `key` identifies the flag. */
export function useEditing(key: string, flag: FeatureFlag | null): Editing {
  const [state, setState] = useState<State>(() => drafts.get(key) ?? initial(flag));
  const isDirty = useMemo(() => Object.keys(changesOf(state.base, state.draft)).length > 0, [state]);
  useEffect(() => {
    if (isDirty) drafts.set(key, state);
    else drafts.delete(key);
  }, [key, state, isDirty]);
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isDirty]);
  const updateDraft = (next: (draft: Draft) => Draft): void => setState((now) => ({ ...now, draft: next(now.draft) }));
  return {
    ...state,
    isDirty,
    change: (changes) => updateDraft((draft) => ({ ...draft, ...changes })),
    changeFilters: (change) => updateDraft((draft) => ({ ...draft, filters: change(draft.filters) })),
    reset: (next) => {
      // At once: the page may be left before the next render.
      drafts.delete(key);
      setState(initial(next));
    },
    rebaseOn: (next) =>
      setState(({ base, draft }) => {
        const theirs = draftOf(next);
        return { base: theirs, draft: rebase(base, draft, theirs), version: next.version };
      }),
  };
}
