import { useState } from 'preact/hooks';
import { createHoldout, type Experiment, type Holdout, updateHoldout } from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';

interface HoldoutDialogProps {
  /** Null: a new one. */
  holdout: Holdout | null;
  /** Launched and not ended, with this holdout. */
  running: readonly Experiment[];
  onClose(): void;
}

export const holdoutPercent = ({ filters }: Holdout): number => Number(filters[0]?.['rollout_percentage'] ?? 0);

export function HoldoutDialog({ holdout, running, onClose }: HoldoutDialogProps) {
  const { id } = useProject();
  const [name, setName] = useState(holdout?.name ?? '');
  const [description, setDescription] = useState(holdout?.description ?? '');
  const [percent, setPercent] = useState(String(holdout === null ? 5 : holdoutPercent(holdout)));
  const share = Number(percent);
  const isComplete = name.trim() !== '' && percent.trim() !== '' && share >= 0 && share <= 100;
  const { run, busy, error } = useAction(async () => {
    const body = {
      name: name.trim(),
      description: description.trim() === '' ? null : description.trim(),
      filters: [{ properties: [], rollout_percentage: share }],
    };
    await (holdout === null ? createHoldout(id, body) : updateHoldout(id, holdout.id, body));
    onClose();
  });
  const movesPeople = holdout !== null && running.length > 0 && share !== holdoutPercent(holdout);
  return (
    <Dialog title={holdout === null ? 'New holdout' : 'Edit holdout'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void run();
        }}
      >
        <TextField
          label="Name"
          maxLength={400}
          placeholder="All experiments of this year"
          value={name}
          onInput={setName}
        />
        <TextArea label="Description" rows={2} value={description} onInput={setDescription} />
        <TextField
          label="Persons who are held out (%)"
          type="number"
          min={0}
          max={100}
          step={0.1}
          value={percent}
          onInput={setPercent}
          hint="The same persons in every experiment with this holdout."
        />
        {movesPeople && (
          <p role="alert">
            {pluralize(running.length, 'running experiment')} with this holdout:{' '}
            {running.map((one) => one.name).join(', ')}. Some persons join or leave them at once, and get a different
            value of the flag.
          </p>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            Save holdout
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
