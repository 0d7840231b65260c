import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { createProject } from '../api/projects.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogActions } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { ErrorNote } from '../components/states.tsx';
import { ZoneField } from '../components/zone-field.tsx';
import { pathTo } from '../lib/route-table.ts';
import { navigate } from '../lib/router.ts';
import { useSession } from '../lib/session.ts';
import { useAction } from '../lib/use-resource.ts';

export function NewProject({ onClose }: { onClose(): void }) {
  const { project, reload } = useSession();
  const [name, setName] = useState('');
  const [timezone, setTimezone] = useState(project.timezone);
  const { run, busy, error } = useAction(async () => {
    const created = await createProject({ name, timezone });
    reload();
    onClose();
    navigate(pathTo('welcome', { project: created.id }) ?? '/');
  });
  const invalidField = error instanceof ApiError ? error.attr : null;
  return (
    <Dialog title="New project" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p class="muted">
          Each project has its own API key, events, persons and feature flags. Nothing is shared between projects.
        </p>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          required
          maxLength={200}
          error={invalidField === 'name' ? (error as ApiError).message : null}
        />
        <ZoneField value={timezone} onChange={setTimezone} />
        {error !== undefined && invalidField !== 'name' && <ErrorNote error={error} />}
        <DialogActions onCancel={onClose}>
          <Button type="submit" kind="primary" busy={busy}>
            Create project
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
