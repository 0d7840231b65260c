/** A new or saved insight. The whole query is in the URL. */
import './insight-page.css';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { findEventNames } from '../../api/definitions.ts';
import { getInsight, markInsightViewed, type SavedInsight } from '../../api/insights.ts';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded, NotFound } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate, useLocation } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ChartSubjectContext } from '../annotations/use-annotations.ts';
import { AnswerCard } from './answer-card.tsx';
import { Builder } from './builder/builder.tsx';
import { Toolbar } from './builder/toolbar.tsx';
import { CorrelationPanel } from './correlation.tsx';
import { KIND_LABELS, titleOf } from './labels.ts';
import { pathOfInsight } from './path-of-insight.ts';
import {
  type Fields,
  finished,
  KINDS,
  newQuestion,
  newSeries,
  type Question,
  toFields,
  withHidden,
  withKind,
} from './question.ts';
import { fromSearch, readQuestion, toSearch } from './read-question.ts';
import { RequestView } from './request-view.tsx';
import { SaveBar } from './save-bar.tsx';
import { useAnswer } from './use-answer.ts';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['insight'] ?? 'new';
  const isNew = key === 'new';
  const saved = useResource(isNew ? null : (signal) => getInsight(id, key, signal), [id, key]);
  const savedId = saved.data?.id;
  useEffect(() => {
    if (savedId !== undefined) markInsightViewed(id, savedId).catch(() => undefined);
  }, [id, savedId]);
  const sqlPath = saved.data && saved.data.query !== null ? pathOfInsight(id, saved.data) : null;
  useEffect(() => {
    if (sqlPath !== null) navigate(sqlPath, { replace: true });
  }, [sqlPath]);
  if (isNew) return <Editor key="new" saved={null} onSaved={() => undefined} />;
  if (saved.data && sqlPath === null) return <Editor key={key} saved={saved.data} onSaved={saved.set} />;
  return (
    <PageFrame title="Insight">
      <Loaded
        resource={saved}
        notFound={
          <NotFound name="Insight" all={<Link to={pathTo('insights', { project: id }) ?? '/'}>All insights</Link>} />
        }
      >
        {() => null}
      </Loaded>
    </PageFrame>
  );
}

/** URL parameters that are not part of the query. */
const PAGE_PARAMETERS = ['open'];

/** Changes in quick succession, such as typing, are one step of the browser's history. */
const SAME_STEP_MS = 1000;

const setInUrl = (next: Question, options: { replace: boolean }): void =>
  navigate(`${location.pathname}?${toSearch(toFields(next))}`, options);

/** From the URL; else the saved query, or a default one. Back undoes a change. */
function useQuestion(saved: SavedInsight | null): [Question, (question: Question) => void] {
  const { id } = useProject();
  const { query } = useLocation();
  const isInUrl = query.has('insight');
  const given = useMemo(() => {
    if (isInUrl) return readQuestion(fromSearch(query, PAGE_PARAMETERS));
    return saved ? readQuestion(saved.filters as Fields) : newQuestion();
  }, [isInUrl, query, saved]);
  // A new query starts with the event that most projects have. It is not written to the URL until something is changed:
  // that would undo a change that is made in the meantime.
  const isBlank =
    saved === null && given.kind !== 'paths' && given.series.every(({ event, action }) => !action && event === '');
  const names = useResource(isBlank ? (signal) => findEventNames(id, '', signal) : null, [id]);
  const first = names.data?.find((name) => name === '$pageview') ?? names.data?.[0];
  const last = useRef({ question: given, at: 0 });
  const question = useMemo(() => {
    const started =
      isBlank && first !== undefined ? withKind({ ...given, series: [newSeries(first)] }, given.kind) : given;
    return withHidden(started, last.current.question);
  }, [given, isBlank, first]);
  const change = (next: Question): void => {
    const now = Date.now();
    const replace = now - last.current.at < SAME_STEP_MS;
    last.current = { question: next, at: now };
    setInUrl(next, { replace });
  };
  return [question, change];
}

const TABS = KINDS.map((kind) => ({ id: kind, label: KIND_LABELS[kind].label }));

function Editor({ saved, onSaved }: { saved: SavedInsight | null; onSaved(insight: SavedInsight): void }) {
  const { id } = useProject();
  const [question, setQuestion] = useQuestion(saved);
  const queryRun = useAnswer(id, question);
  // Switching to a type with fewer events and back keeps the events.
  const longest = useRef(question.series);
  if (question.series.length >= longest.current.length) longest.current = question.series;
  const fields = toFields(finished(question));
  const isChanged = saved === null || !isSame(fields, toFields(finished(readQuestion(saved.filters as Fields))));
  const derived = titleOf(question);
  const title = saved === null ? 'New insight' : saved.name || saved.derived_name || derived;
  const savedId = saved?.id ?? null;
  const subject = useMemo(() => ({ insight: savedId, dashboard: null }), [savedId]);
  const changeKind = (kind: Question['kind']): void => {
    const series = question.series.length === 0 || question.kind === 'lifecycle' ? longest.current : question.series;
    setQuestion(withKind({ ...question, series }, kind));
  };
  return (
    <PageFrame
      title={title}
      lead={saved?.description || KIND_LABELS[question.kind].lead}
      actions={
        <SaveBar
          saved={saved}
          question={{ filters: { ...fields } }}
          derived={derived}
          isChanged={isChanged}
          canSave={queryRun.missing === null}
          onSaved={onSaved}
        />
      }
    >
      <Tabs label="Insight type" tabs={TABS} value={question.kind} onChange={changeKind}>
        <div class="insight-panes">
          <details class="card question" open={saved === null || hasPanes() || undefined}>
            <summary>Query</summary>
            <h2 class="visually-hidden">Query</h2>
            <Builder question={question} onChange={setQuestion} />
          </details>
          <div class="stack">
            <div class="card stack answer-card">
              <Toolbar question={question} onChange={setQuestion} />
              <ChartSubjectContext.Provider value={subject}>
                <AnswerCard
                  queryRun={queryRun}
                  name={saved?.name || derived}
                  onContinue={(start) => setQuestion({ ...question, paths: { ...question.paths, start } })}
                />
              </ChartSubjectContext.Provider>
            </div>
            {question.kind === 'funnel' && question.funnel.view === 'steps' && queryRun.missing === null && (
              <CorrelationPanel fields={fields} />
            )}
            <RequestView fields={fields} name={saved?.name || derived} />
          </div>
        </div>
      </Tabs>
    </PageFrame>
  );
}

/** The query is beside the chart, so it can stay open: as in insight-page.css. */
const hasPanes = (): boolean => matchMedia('(min-width: 1200px)').matches;

const isSame = (a: Fields, b: Fields): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
