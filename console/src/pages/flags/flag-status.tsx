import type { FeatureFlag } from '../../api/flags.ts';
import { Badge, type Tone } from '../../components/states.tsx';

const STATUS: Record<FeatureFlag['status'], { tone: Tone; word: string; why: string }> = {
  ACTIVE: { tone: 'good', word: 'On', why: 'It is evaluated for everybody who asks.' },
  INACTIVE: { tone: 'neutral', word: 'Off', why: 'It is off for everybody.' },
  STALE: {
    tone: 'warn',
    word: 'Stale',
    why: 'Everybody has had the same value for a month: the flag, and the code around it, can go.',
  },
  DELETED: { tone: 'bad', word: 'Deleted', why: 'It is off for everybody, and can be brought back.' },
};

export const FlagStatus = ({ status }: Pick<FeatureFlag, 'status'>) => (
  <span title={STATUS[status].why}>
    <Badge tone={STATUS[status].tone}>{STATUS[status].word}</Badge>
  </span>
);
