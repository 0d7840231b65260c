/** One insight: a question that is being made, or one that was saved. All of it is in the address. */
import { findEventNames } from '../../api/definitions.ts';
import { getInsight, markInsightViewed, type SavedInsight } from '../../api/insights.ts';
import './insight-page.css';
import { useEffect, useRef } from 'preact/hooks';
import { PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import type { PageProps } from '../../lib/route-table.ts';
import { navigate, usePlace } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { AnswerCard } from './answer-card.tsx';
import { Builder, ViewControls } from './builder/builder.tsx';
import { CorrelationPanel } from './correlation.tsx';
import { KIND_WORDS, titleOf } from './labels.ts';
import { type Fields, finished, KINDS, newQuestion, newSeries, type Question, toFields, withKind } from './question.ts';
import { fromSearch, readQuestion, toSearch } from './read-question.ts';
import { RequestView } from './request-view.tsx';
import { SaveBar } from './save-bar.tsx';
import { useAnswer } from './use-answer.ts';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['insight'] ?? 'new';
  const isNew = key === 'new';
  const saved = useResource(isNew ? null : (signal) => getInsight(id, key, signal), [id, key]);
  const known = saved.data?.id;
  useEffect(() => {
    if (known !== undefined) markInsightViewed(id, known).catch(() => undefined);
  }, [id, known]);
  if (isNew) return <Editor key="new" saved={null} onSaved={() => undefined} />;
  if (saved.data) return <Editor key={key} saved={saved.data} onSaved={saved.set} />;
  return (
    <PageFrame title="Insight">
      <Loaded resource={saved}>{() => null}</Loaded>
    </PageFrame>
  );
}

/** Parameters of the page itself. */
const OF_THE_PAGE = ['open'];

const put = (next: Question): void => navigate(`${location.pathname}?${toSearch(toFields(next))}`, { replace: true });

/** The question of the address; without one the saved one, or a first one to begin with. */
function useQuestion(saved: SavedInsight | null): [Question, (question: Question) => void] {
  const { id } = useProject();
  const { query } = usePlace();
  const isInAddress = query.has('insight');
  const isBlank = !isInAddress && saved === null;
  const names = useResource(isBlank ? (signal) => findEventNames(id, '', signal) : null, [id]);
  useEffect(() => {
    const first = names.data?.find((name) => name === '$pageview') ?? names.data?.[0];
    if (isBlank && first !== undefined) put({ ...newQuestion(), series: [newSeries(first)] });
  }, [isBlank, names.data]);
  if (isInAddress) return [readQuestion(fromSearch(query, OF_THE_PAGE)), put];
  return [saved ? readQuestion(saved.filters as Fields) : newQuestion(), put];
}

const TABS = KINDS.map((kind) => ({ id: kind, label: KIND_WORDS[kind].label }));

function Editor({ saved, onSaved }: { saved: SavedInsight | null; onSaved(insight: SavedInsight): void }) {
  const { id } = useProject();
  const [question, setQuestion] = useQuestion(saved);
  const asking = useAnswer(id, question);
  // Events that a kind has no place for are still there when one comes back.
  const widest = useRef(question.series);
  if (question.series.length >= widest.current.length) widest.current = question.series;
  const fields = toFields(finished(question));
  const isChanged = saved === null || !isSame(fields, toFields(finished(readQuestion(saved.filters as Fields))));
  const derived = titleOf(question);
  const title = saved === null ? 'New insight' : saved.name || saved.derived_name || derived;
  const changeKind = (kind: Question['kind']): void => {
    const series = question.series.length === 0 || question.kind === 'lifecycle' ? widest.current : question.series;
    setQuestion(withKind({ ...question, series }, kind));
  };
  return (
    <PageFrame
      title={title}
      lead={saved?.description || KIND_WORDS[question.kind].lead}
      actions={
        <SaveBar
          saved={saved}
          fields={fields}
          derived={derived}
          isChanged={isChanged}
          canSave={asking.missing === null}
          onSaved={onSaved}
        />
      }
    >
      <Tabs label="Kind of question" tabs={TABS} value={question.kind} onChange={changeKind}>
        <details class="card question" open={saved === null || undefined}>
          <summary>The question</summary>
          <Builder question={question} onChange={setQuestion} />
        </details>
        <div class="card stack answer-card">
          <ViewControls question={question} onChange={setQuestion} />
          <AnswerCard asking={asking} />
        </div>
        {question.kind === 'funnel' && question.funnel.view === 'steps' && asking.missing === null && (
          <CorrelationPanel fields={fields} />
        )}
        <RequestView fields={fields} name={saved?.name || derived} />
      </Tabs>
    </PageFrame>
  );
}

const isSame = (a: Fields, b: Fields): boolean =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
