import { Badge, type Tone } from '../../components/states.tsx';

const STATUS: Record<string, { tone: Tone; label: string; hint: string }> = {
  draft: { tone: 'neutral', label: 'Draft', hint: 'Not launched yet: exposures do not count.' },
  running: { tone: 'accent', label: 'Running', hint: 'Exposures and events count from the launch on.' },
  paused: { tone: 'warn', label: 'Paused', hint: 'The feature flag is disabled, so no one new is exposed.' },
  stopped: { tone: 'neutral', label: 'Ended', hint: 'The results no longer change.' },
};

export function ExperimentStatus({ status }: { status: string }) {
  const { tone, label, hint } = STATUS[status] ?? { tone: 'neutral', label: status, hint: '' };
  return (
    <span title={hint}>
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}
