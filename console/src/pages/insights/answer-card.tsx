import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { insightCsvPath } from '../../api/insights.ts';
import { ExportItems } from '../../charts/export-items.tsx';
import { Button } from '../../components/button.tsx';
import { Menu } from '../../components/menu.tsx';
import { Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { AnnotationDialog } from '../annotations/annotation-dialog.tsx';
import { AnswerView } from './answer/answer-view.tsx';
import { type Answer, personsLinks } from './answers.ts';
import { PersonsDrawer } from './persons/persons-drawer.tsx';
import { QueryProgress } from './query-progress.tsx';
import { toSearch } from './read-question.ts';
import type { QueryResult, QueryRun } from './use-answer.ts';

interface AnswerCardProps {
  queryRun: QueryRun;
  /** Of exported files. */
  name: string;
  /** See `AnswerProps`. */
  onContinue(item: string): void;
}

export function AnswerCard({ queryRun, name, onContinue }: AnswerCardProps) {
  const { resource, missing, refresh, isCancelled, cancel } = queryRun;
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const { id } = useProject();
  const picture = useRef<HTMLDivElement>(null);
  const { data, loading, error } = resource;
  if (missing !== null) return <Empty title={missing}>The chart appears as soon as the query is complete.</Empty>;
  return (
    <>
      {loading && <QueryProgress onCancel={cancel} />}
      {isCancelled && (
        <Empty title="Query cancelled" action={<Button onClick={refresh}>Run again</Button>}>
          Shorten the date range or add filters to make it faster.
        </Empty>
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data === undefined && loading && <Skeleton lines={8} />}
      {data !== undefined && (
        <div class="answer" aria-busy={loading}>
          <div class="stack" ref={picture}>
            <AnswerView
              question={data.question}
              answer={data.answer}
              computedAt={data.response.last_refresh}
              onPick={setOpen}
              onContinue={onContinue}
            />
          </div>
          <ResultFooter queryResult={data} isBusy={loading} onRefresh={refresh}>
            <ExportItems
              name={name}
              csv={insightCsvPath(id, data.fields, name, toSearch(data.fields))}
              link={`?${toSearch(data.fields)}`}
              picture={() => picture.current}
            />
          </ResultFooter>
        </div>
      )}
      {data !== undefined && open !== '' && <OpenPersons queryResult={data} open={open} onClose={() => setOpen('')} />}
    </>
  );
}

function OpenPersons({ queryResult, open, onClose }: { queryResult: QueryResult; open: string; onClose(): void }) {
  const { answer, question } = queryResult;
  const persons = useMemo(() => personsLinks(answer, question).get(open), [answer, question, open]);
  return persons === undefined ? null : <PersonsDrawer key={persons.url} persons={persons} onClose={onClose} />;
}

interface FreshnessProps {
  queryResult: QueryResult;
  isBusy: boolean;
  onRefresh(): void;
  /** Items of the export menu. */
  children: ComponentChildren;
}

/** Charts over time. */
const ANNOTATED_VIEWS: readonly Answer['view'][] = ['trend', 'conversion'];

function ResultFooter({ queryResult: { response, answer }, isBusy, onRefresh, children }: FreshnessProps) {
  const { timezone } = useProject();
  const [isAnnotating, setAnnotating] = useState(false);
  const canAnnotate = ANNOTATED_VIEWS.includes(answer.view);
  return (
    <div class="result-footer">
      <span>
        Updated <Time at={response.last_refresh} as="relative" />. Time zone: {response.timezone ?? timezone}.
        {response.next != null && ' Showing the 25 most common breakdown values.'}
      </span>
      <div class="row">
        <div class="export-menu">
          <Menu label="Export" up>
            {children}
          </Menu>
        </div>
        {canAnnotate && (
          <Button small onClick={() => setAnnotating(true)}>
            Add annotation
          </Button>
        )}
        <Button small busy={isBusy} onClick={onRefresh}>
          Refresh
        </Button>
        {isAnnotating && <AnnotationDialog annotation={null} onClose={() => setAnnotating(false)} />}
      </div>
    </div>
  );
}
