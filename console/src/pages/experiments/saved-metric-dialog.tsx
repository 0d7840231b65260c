import { useState } from 'preact/hooks';
import { createSavedMetric, type Experiment, type SavedMetric, updateSavedMetric } from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { draftOf, EMPTY_METRIC, metricOf } from './draft.ts';
import { EVENT_KINDS, MetricFields } from './metric-fields.tsx';

interface SavedMetricDialogProps {
  /** Null: a new one. */
  metric: SavedMetric | null;
  /** Launched and not ended, with this metric. */
  running: readonly Experiment[];
  onClose(): void;
}

export function SavedMetricDialog({ metric, running, onClose }: SavedMetricDialogProps) {
  const { id } = useProject();
  const [name, setName] = useState(metric?.name ?? '');
  const [description, setDescription] = useState(metric?.description ?? '');
  const known = metric === null ? EMPTY_METRIC : draftOf(metric.query);
  const [draft, setDraft] = useState(known);
  const query = draft === null ? null : metricOf(draft);
  const isComplete = name.trim() !== '' && (draft === null || query !== null);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(known);
  const { run, busy, error } = useAction(async () => {
    const { name: _, ...measured } = query ?? {};
    const body = {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      ...(query !== null && (metric === null || isChanged) ? { query: measured } : {}),
    };
    await (metric === null ? createSavedMetric(id, body) : updateSavedMetric(id, metric.id, body));
    onClose();
  });
  return (
    <Dialog title={metric === null ? 'New metric' : 'Edit metric'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void run();
        }}
      >
        <TextField label="Name" maxLength={400} placeholder="Completed orders" value={name} onInput={setName} />
        <TextArea label="Description" rows={2} value={description} onInput={setDescription} />
        {draft === null ? (
          <p class="muted small">
            What it measures has parts that this form does not show, such as filters. It stays as it is; change it with
            the API.
          </p>
        ) : (
          <MetricFields
            name="the metric"
            metric={draft}
            kinds={EVENT_KINDS}
            onChange={(changes) => setDraft({ ...draft, ...changes })}
            onRemove={null}
          />
        )}
        {isChanged && running.length > 0 && (
          <p role="alert">
            Running experiments use this metric: {running.map((one) => one.name).join(', ')}. They measure the new one
            from their start on, and show that it was changed.
          </p>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            Save metric
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
