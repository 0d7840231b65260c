/** The chart of an insight, on its page and on dashboards. */
import './answer.css';
import { useMemo } from 'preact/hooks';
import { localTime } from '../../../charts/rules/unfinished.ts';
import { Empty } from '../../../components/states.tsx';
import { knownZone } from '../../../lib/dates.ts';
import { useProject } from '../../../lib/session.ts';
import { isEmpty, personsLinks } from '../answers.ts';
import type { AnswerProps } from './answer-props.ts';
import { ConversionTimesView, ConversionTrend } from './conversion.tsx';
import { FunnelSteps } from './funnel-steps.tsx';
import { RetentionGrid } from './retention-grid.tsx';
import { Sankey } from './sankey.tsx';
import { TrendView } from './trend-view.tsx';

interface AnswerViewProps extends Omit<AnswerProps, 'persons' | 'now'> {
  /** When the result was computed. */
  computedAt: string;
}

export function AnswerView({ question, answer, computedAt, onPick, onContinue, small }: AnswerViewProps) {
  const { timezone } = useProject();
  const persons = useMemo(() => personsLinks(answer, question), [answer, question]);
  if (isEmpty(answer)) return <NoData small={small} />;
  const shared = { question, persons, onPick, small, now: localTime(computedAt, knownZone(timezone)) };
  switch (answer.view) {
    case 'trend':
      return <TrendView {...shared} answer={answer} />;
    case 'steps':
      return <FunnelSteps {...shared} answer={answer} />;
    case 'conversion':
      return <ConversionTrend {...shared} answer={answer} />;
    case 'times':
      return <ConversionTimesView {...shared} answer={answer} />;
    case 'retention':
      return <RetentionGrid {...shared} answer={answer} />;
    case 'paths':
      return <Sankey {...shared} answer={answer} onContinue={onContinue} />;
  }
}

const NoData = ({ small = false }: { small?: boolean | undefined }) =>
  small ? (
    <p class="muted">No data in this date range.</p>
  ) : (
    <Empty title="No data in this date range">
      Try a longer date range or fewer filters, or check the live events for the event names.
    </Empty>
  );
