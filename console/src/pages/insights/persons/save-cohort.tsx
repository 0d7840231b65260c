import { useState } from 'preact/hooks';
import { saveAsCohort } from '../../../api/insight-persons.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { Link } from '../../../components/link.tsx';
import { ErrorNote, Progress } from '../../../components/states.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { useProject } from '../../../lib/session.ts';
import { useAction } from '../../../lib/use-resource.ts';
import type { PersonsLink } from '../answers.ts';

/** Saves the persons behind a number as a static cohort. */
export function SaveCohort({ persons, onClose }: { persons: PersonsLink; onClose(): void }) {
  const { id } = useProject();
  const [name, setName] = useState(persons.title.slice(0, 400));
  const [count, setCount] = useState(0);
  const [saved, setSaved] = useState<{ id: number; count: number } | null>(null);
  const save = useAction(async () => setSaved(await saveAsCohort(id, name.trim(), persons, setCount)));
  const to = saved && pathTo('cohort', { project: id, cohort: saved.id });
  const footer = saved ? (
    <Button kind="primary" onClick={onClose}>
      Done
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} disabled={name.trim() === ''} onClick={() => void save.run()}>
        Save cohort
      </Button>
    </>
  );
  return (
    <Dialog title="Save as cohort" onClose={onClose} footer={footer}>
      {saved ? (
        <p role="status">
          Saved {pluralize(saved.count, 'person')} to {to === null ? <b>{name}</b> : <Link to={to}>{name}</Link>}.
        </p>
      ) : (
        <>
          <p class="muted">
            Creates a static cohort of these persons. Use it in filters, breakdowns and feature flags.
          </p>
          <TextField label="Name" value={name} onInput={setName} maxLength={400} />
          {save.busy && <Progress label={`Saving… ${pluralize(count, 'person')}`} />}
          {save.error !== undefined && <ErrorNote error={save.error} />}
        </>
      )}
    </Dialog>
  );
}
