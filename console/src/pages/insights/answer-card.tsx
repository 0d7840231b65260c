/** The answer to a question with all of its states, and when it was found. */
import { useMemo } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { AnswerView } from './answer/answer-view.tsx';
import { peopleBehind } from './answers.ts';
import { PeopleDrawer } from './persons/persons-drawer.tsx';
import { Waiting } from './query-progress.tsx';
import type { Answered, Asking } from './use-answer.ts';

export function AnswerCard({ asking }: { asking: Asking }) {
  const { resource, missing, refresh, isStopped, stop } = asking;
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const { data, loading, error } = resource;
  if (missing !== null)
    return <Empty title={missing}>The answer comes by itself as soon as there is enough to ask.</Empty>;
  return (
    <>
      {loading && <Waiting onStop={stop} />}
      {isStopped && (
        <Empty title="Stopped" action={<Button onClick={refresh}>Ask again</Button>}>
          Change the question, or let it run to its end this time.
        </Empty>
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data === undefined && loading && <Skeleton lines={8} />}
      {data !== undefined && (
        <div class="answer" aria-busy={loading}>
          <AnswerView question={data.question} answer={data.answer} onPick={setOpen} />
          <Freshness answered={data} isBusy={loading} onRefresh={refresh} />
        </div>
      )}
      {data !== undefined && open !== '' && <Opened answered={data} open={open} onClose={() => setOpen('')} />}
    </>
  );
}

function Opened({ answered, open, onClose }: { answered: Answered; open: string; onClose(): void }) {
  const { answer, question } = answered;
  const people = useMemo(() => peopleBehind(answer, question).get(open), [answer, question, open]);
  return people === undefined ? null : <PeopleDrawer key={people.url} people={people} onClose={onClose} />;
}

interface FreshnessProps {
  answered: Answered;
  isBusy: boolean;
  onRefresh(): void;
}

function Freshness({ answered: { about }, isBusy, onRefresh }: FreshnessProps) {
  const { timezone } = useProject();
  return (
    <div class="freshness">
      <span>
        Found <Time at={about.last_refresh} as="ago" />
        {about.is_cached && ', kept since'}. Days begin at midnight in {about.timezone ?? timezone}.
        {about.next != null && ' Only the 25 most frequent values are shown.'}
      </span>
      <Button small busy={isBusy} onClick={onRefresh}>
        Refresh
      </Button>
    </div>
  );
}
