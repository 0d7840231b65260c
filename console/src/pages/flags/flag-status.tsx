import type { FeatureFlag } from '../../api/flags.ts';
import { Badge, type Tone } from '../../components/states.tsx';

const STATUS: Record<FeatureFlag['status'], { tone: Tone; label: string; hint: string }> = {
  ACTIVE: { tone: 'good', label: 'Enabled', hint: 'Evaluated by its release conditions.' },
  INACTIVE: { tone: 'neutral', label: 'Disabled', hint: 'Disabled for everyone.' },
  STALE: {
    tone: 'warn',
    label: 'Stale',
    hint: 'Everyone has had the same value for a month. Consider removing the flag from your code.',
  },
  DELETED: { tone: 'bad', label: 'Deleted', hint: 'Disabled for everyone. You can restore it.' },
};

export const FlagStatus = ({ status }: Pick<FeatureFlag, 'status'>) => (
  <span title={STATUS[status].hint}>
    <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>
  </span>
);
