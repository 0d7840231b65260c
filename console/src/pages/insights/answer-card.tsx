import { useMemo } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { AnswerView } from './answer/answer-view.tsx';
import { personsLinks } from './answers.ts';
import { PersonsDrawer } from './persons/persons-drawer.tsx';
import { QueryProgress } from './query-progress.tsx';
import type { QueryResult, QueryRun } from './use-answer.ts';

export function AnswerCard({ queryRun }: { queryRun: QueryRun }) {
  const { resource, missing, refresh, isCancelled, cancel } = queryRun;
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
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
          <AnswerView question={data.question} answer={data.answer} onPick={setOpen} />
          <ResultFooter queryResult={data} isBusy={loading} onRefresh={refresh} />
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
}

function ResultFooter({ queryResult: { response }, isBusy, onRefresh }: FreshnessProps) {
  const { timezone } = useProject();
  return (
    <div class="result-footer">
      <span>
        Updated <Time at={response.last_refresh} as="relative" />. Time zone: {response.timezone ?? timezone}.
        {response.next != null && ' Showing the 25 most common breakdown values.'}
      </span>
      <Button small busy={isBusy} onClick={onRefresh}>
        Refresh
      </Button>
    </div>
  );
}
