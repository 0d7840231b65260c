import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { type AnnotationPage, listAnnotations } from '../../api/annotations.ts';
import type { Annotation } from '../../charts/chart-data.ts';
import { type Mark, placeAnnotations } from '../../charts/rules/place-annotations.ts';
import type { PeriodUnit } from '../../charts/rules/unfinished.ts';
import { knownZone } from '../../lib/dates.ts';
import { addDays } from '../../lib/local-dates.ts';
import { useProject } from '../../lib/session.ts';

/** Charts of one dashboard ask at the same time for the same dates. */
const SHARED_MS = 30_000;
const shared = new Map<string, { promise: Promise<AnnotationPage>; until: number }>();
const listeners = new Set<() => void>();

/** Call after a change: charts that are open show it. */
export function annotationsChanged(): void {
  shared.clear();
  for (const listen of listeners) listen();
}

function loadShared(projectId: number, from: string, to: string): Promise<AnnotationPage> {
  const key = `${projectId} ${from} ${to}`;
  const known = shared.get(key);
  if (known && known.until > performance.now()) return known.promise;
  // A day more on both sides: dates are those of the project's time zone.
  const query = { after: addDays(from, -1), before: addDays(to, 32), include: 'flags,alerts', limit: 1000 };
  const promise = listAnnotations(projectId, query);
  shared.set(key, { promise, until: performance.now() + SHARED_MS });
  return promise;
}

/** What a chart is of, as some annotations are only for one insight or dashboard. */
interface ChartSubject {
  /** Null: not saved. */
  insight: number | null;
  dashboard: number | null;
}

export const ChartSubjectContext = createContext<ChartSubject>({ insight: null, dashboard: null });

/** Those of a page whose reader cannot ask for them; null: they are loaded. */
export const GivenAnnotationsContext = createContext<Pick<AnnotationPage, 'results' | 'changes'> | null>(null);

/** The annotations of a chart over time; none while they load, or if they cannot be loaded. */
export function useAnnotations(starts: readonly (string | number)[], unit: PeriodUnit): Annotation[] {
  const { id, timezone } = useProject();
  const subject = useContext(ChartSubjectContext);
  const given = useContext(GivenAnnotationsContext);
  const [first, last] = [starts[0], starts.at(-1)].map((day) => (typeof day === 'string' ? day.slice(0, 10) : null));
  const [page, setPage] = useState<AnnotationPage | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const listen = (): void => setRound((count) => count + 1);
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again after a change
  useEffect(() => {
    let isCurrent = true;
    if (first && last && given === null)
      loadShared(id, first, last).then(
        (loaded) => isCurrent && setPage(loaded),
        () => undefined,
      );
    return () => {
      isCurrent = false;
    };
  }, [id, first, last, round, given]);
  return useMemo(() => {
    const known = given ?? page;
    const marks = known === null ? [] : marksOf(known, subject);
    return placeAnnotations(marks, starts, unit, knownZone(timezone));
  }, [given, page, starts, unit, timezone, subject]);
}

function marksOf(
  { results, changes = [] }: Pick<AnnotationPage, 'results' | 'changes'>,
  { insight, dashboard }: ChartSubject,
): Mark[] {
  const isShown = ({ scope, dashboard_item, dashboard_id }: AnnotationPage['results'][number]): boolean =>
    scope === 'dashboard_item' ? dashboard_item === insight : scope === 'dashboard' ? dashboard_id === dashboard : true;
  // An alert on another insight says nothing about this one.
  const isAbout = ({ dashboard_item: of }: NonNullable<AnnotationPage['changes']>[number]): boolean =>
    of === null || of === insight;
  return [...results.filter(isShown), ...changes.filter(isAbout)].map(({ date_marker, content }) => ({
    at: date_marker,
    text: content,
  }));
}
