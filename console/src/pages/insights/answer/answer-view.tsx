/** An answer as a picture and as numbers. The page of an insight and the tiles of a dashboard draw it alike. */
import './answer.css';
import { useMemo } from 'preact/hooks';
import { Empty } from '../../../components/states.tsx';
import { isEmpty, peopleBehind } from '../answers.ts';
import type { AnswerProps } from './answer-props.ts';
import { ConversionTimesView, ConversionTrend } from './conversion.tsx';
import { FunnelSteps } from './funnel-steps.tsx';
import { RetentionGrid } from './retention-grid.tsx';
import { Sankey } from './sankey.tsx';
import { TrendView } from './trend-view.tsx';

export function AnswerView({ question, answer, onPick, small }: Omit<AnswerProps, 'people'>) {
  const people = useMemo(() => peopleBehind(answer, question), [answer, question]);
  if (isEmpty(answer)) return <Nothing small={small} />;
  const shared = { question, people, onPick, small };
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
      return <Sankey {...shared} answer={answer} />;
  }
}

const Nothing = ({ small = false }: { small?: boolean | undefined }) =>
  small ? (
    <p class="soft">Nothing like that in this time.</p>
  ) : (
    <Empty title="Nothing like that in this time">
      Choose a longer time, fewer conditions, or look at the live events to see what names come in.
    </Empty>
  );
