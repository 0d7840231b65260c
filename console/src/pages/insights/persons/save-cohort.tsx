import { useState } from 'preact/hooks';
import { saveAsCohort } from '../../../api/insight-persons.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { Link } from '../../../components/link.tsx';
import { ErrorNote, Progress } from '../../../components/states.tsx';
import { countOf } from '../../../lib/format.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { useProject } from '../../../lib/session.ts';
import { useAction } from '../../../lib/use-resource.ts';
import type { People } from '../answers.ts';

/** Whoever stands behind a number now, as a list that stays as it is. */
export function SaveCohort({ people, onClose }: { people: People; onClose(): void }) {
  const { id } = useProject();
  const [name, setName] = useState(people.title.slice(0, 400));
  const [count, setCount] = useState(0);
  const [saved, setSaved] = useState<{ id: number; count: number } | null>(null);
  const save = useAction(async () => setSaved(await saveAsCohort(id, name.trim(), people, setCount)));
  const to = saved && pathTo('cohort', { project: id, cohort: saved.id });
  const footer = saved ? (
    <Button kind="primary" onClick={onClose}>
      Done
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={save.busy} disabled={name.trim() === ''} onClick={() => void save.run()}>
        Save the cohort
      </Button>
    </>
  );
  return (
    <Dialog title="Save as a cohort" onClose={onClose} footer={footer}>
      {saved ? (
        <p role="status">
          {countOf(saved.count, 'person', 'persons')} {saved.count === 1 ? 'is' : 'are'} in{' '}
          {to === null ? <b>{name}</b> : <Link to={to}>{name}</Link>} now.
        </p>
      ) : (
        <>
          <p class="soft">
            A list of everybody who stands behind this number now. It does not change by itself; filters, breakdowns and
            flags can use it.
          </p>
          <TextField label="Name" value={name} onInput={setName} maxLength={400} />
          {save.busy && <Progress label={`${countOf(count, 'person', 'persons')} so far`} />}
          {save.error !== undefined && <ErrorNote error={save.error} />}
        </>
      )}
    </Dialog>
  );
}
