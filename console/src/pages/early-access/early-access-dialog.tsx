import { useState } from 'preact/hooks';
import { createEarlyAccess, type EarlyAccessFeature, updateEarlyAccess } from '../../api/early-access.ts';
import type { FeatureFlag } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, TextArea, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction } from '../../lib/use-resource.ts';
import { orAskForApproval } from '../approvals/or-ask-for-approval.ts';
import { STAGES, stageOf } from './stages.ts';

interface EarlyAccessDialogProps {
  /** Null: a new one. */
  feature: EarlyAccessFeature | null;
  /** Flags that can have a feature. */
  flags: readonly FeatureFlag[];
  onClose(): void;
  onSaved(): void;
}

const NEW_FLAG = '';

export function EarlyAccessDialog({ feature, flags, onClose, onSaved }: EarlyAccessDialogProps) {
  const { id } = useProject();
  const [name, setName] = useState(feature?.name ?? '');
  const [description, setDescription] = useState(feature?.description ?? '');
  const [url, setUrl] = useState(feature?.documentation_url ?? '');
  const [stage, setStage] = useState(feature?.stage ?? 'beta');
  const [flag, setFlag] = useState(NEW_FLAG);
  const isComplete = name.trim() !== '';
  const { run, busy, error } = useAction(async () => {
    const body = { name: name.trim(), description: description.trim(), documentation_url: url.trim(), stage };
    await orAskForApproval(id, async () => {
      await (feature === null
        ? createEarlyAccess(id, { ...body, feature_flag_id: flag === NEW_FLAG ? null : Number(flag) })
        : updateEarlyAccess(id, feature.id, body));
      onSaved();
    });
  });
  return (
    <Dialog title={feature === null ? 'New early access feature' : `Edit ${feature.name}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void run();
        }}
      >
        <TextField label="Name" maxLength={200} placeholder="Dark mode" value={name} onInput={setName} />
        <TextArea
          label="Description"
          rows={2}
          value={description}
          onInput={setDescription}
          hint="Your application can show it where persons opt in."
        />
        <Select<EarlyAccessFeature['stage']>
          label="Stage"
          value={stage}
          options={STAGES}
          onChange={setStage}
          hint={stageOf(stage).hint}
        />
        {feature === null ? (
          <Select
            label="Feature flag"
            value={flag}
            options={[
              { value: NEW_FLAG, label: 'Create a new flag' },
              ...flags.map(({ id: flagId, key }) => ({ value: String(flagId), label: key })),
            ]}
            onChange={setFlag}
            hint={
              flag === NEW_FLAG
                ? 'Its key is made of the name. Only persons who opt in get it.'
                : 'Persons who opt in get it, whatever its conditions say; those who opt out do not.'
            }
          />
        ) : null}
        <TextField
          label="Documentation"
          type="url"
          placeholder="https://"
          maxLength={800}
          value={url}
          onInput={setUrl}
        />
        {error !== undefined && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            Save feature
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
