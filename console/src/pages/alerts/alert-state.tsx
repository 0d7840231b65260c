import type { Alert } from '../../api/alerts.ts';
import { Badge, type Tone } from '../../components/states.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Firing: 'bad',
  Errored: 'warn',
  Snoozed: 'neutral',
  'Not firing': 'good',
};

export const AlertState = ({ alert }: { alert: Pick<Alert, 'state' | 'enabled'> }) =>
  alert.enabled ? <Badge tone={TONES[alert.state] ?? 'neutral'}>{alert.state}</Badge> : <Badge>Disabled</Badge>;
