import type { BatchExport, ExportRun } from '../../api/batch-exports.ts';
import { Badge, type Tone } from '../../components/states.tsx';

const RUN_STATES: Readonly<Record<string, { tone: Tone; label: string }>> = {
  Starting: { tone: 'accent', label: 'Starting' },
  Running: { tone: 'accent', label: 'Running' },
  Completed: { tone: 'good', label: 'Completed' },
  FailedRetryable: { tone: 'warn', label: 'Trying again' },
  Failed: { tone: 'bad', label: 'Failed' },
};

export function RunState({ run }: { run: Pick<ExportRun, 'status'> }) {
  const { tone, label } = RUN_STATES[run.status] ?? { tone: 'neutral' as const, label: run.status };
  return <Badge tone={tone}>{label}</Badge>;
}

export function ExportState({ batchExport: { paused, paused_reason: reason } }: { batchExport: BatchExport }) {
  if (!paused) return <Badge tone="good">Active</Badge>;
  return <Badge tone={reason === null ? 'neutral' : 'bad'}>Paused</Badge>;
}
