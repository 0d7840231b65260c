import type { Destination } from '../../api/destinations.ts';
import { Badge, type Tone } from '../../components/states.tsx';

const STATES: Readonly<Record<string, { tone: Tone; label: string }>> = {
  healthy: { tone: 'good', label: 'Healthy' },
  failing: { tone: 'warn', label: 'Failing' },
  paused: { tone: 'bad', label: 'Paused' },
  disabled: { tone: 'neutral', label: 'Disabled' },
};

export function DestinationState({ destination: { status } }: { destination: Pick<Destination, 'status'> }) {
  const { tone, label } = STATES[status.state] ?? { tone: 'neutral' as const, label: status.state };
  return <Badge tone={tone}>{label}</Badge>;
}
