import { type Deletion, getDeletion } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loaded, Progress } from '../../components/states.tsx';
import { countOf, formatBytes } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';

const EVERY_MS = 1000;

/** How far a deletion with events has got, until nothing is left in any file. It goes on without anybody looking. */
export function DeletionCard({ id, onClose }: { id: string; onClose(): void }) {
  const project = useProject();
  const deletion = useResource((signal) => getDeletion(project.id, id, signal), [project.id, id]);
  const isDone = deletion.data?.state === 'complete';
  useInterval(() => {
    if (!isDone) deletion.reload();
  }, EVERY_MS);
  return (
    <section class="card stack-s" aria-label="Deletion">
      <div class="row">
        <h2>{isDone ? 'The person is deleted' : 'A person is being deleted'}</h2>
        <span class="push">
          <Button small kind="quiet" onClick={onClose}>
            {isDone ? 'Close' : 'Hide'}
          </Button>
        </span>
      </div>
      <Loaded resource={deletion}>{(data) => <State deletion={data} />}</Loaded>
    </section>
  );
}

const STEPS: Record<string, { value: number; label: string }> = {
  removing_events: { value: 1, label: 'Removing the events…' },
  erasing: { value: 2, label: 'Nothing is shown any more. Files are written afresh, so that nothing is left in them…' },
  complete: { value: 3, label: 'Done: every file was read again, and nothing of the person was found.' },
};

function State({ deletion: { state, removed, scan } }: { deletion: Deletion }) {
  const step = STEPS[state] ?? { value: 0, label: state };
  return (
    <>
      <Progress label={step.label} value={step.value} max={3} />
      <Facts
        facts={[
          ['Events', removed.events === null ? 'being counted' : countOf(removed.events, 'event')],
          ['Distinct ids', countOf(removed.distinct_ids, 'id')],
          ['Changes of properties', countOf(removed.property_history, 'entry', 'entries')],
          ['Merges', countOf(removed.merges, 'merge')],
          ...(scan
            ? [
                [
                  'Looked through',
                  `${countOf(scan.files, 'file')}, ${formatBytes(scan.bytes)}; ${countOf(scan.rows, 'row')} left`,
                ] as [string, string],
              ]
            : []),
        ]}
      />
      {scan?.mentioned_in && scan.mentioned_in.length > 0 && (
        <p class="small">
          An id of the person is still spelled in {scan.mentioned_in.join(', ')}: somebody else mentions it, or has come
          with it since.
        </p>
      )}
    </>
  );
}
