import { type Deletion, getDeletion } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loaded, Progress } from '../../components/states.tsx';
import { formatBytes, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';

const POLL_INTERVAL_MS = 1000;

/** The progress of deleting a person with events, which runs in the background. */
export function DeletionCard({ id, onClose }: { id: string; onClose(): void }) {
  const project = useProject();
  const deletion = useResource((signal) => getDeletion(project.id, id, signal), [project.id, id]);
  const isDone = deletion.data?.state === 'complete';
  useInterval(() => {
    if (!isDone) deletion.reload();
  }, POLL_INTERVAL_MS);
  return (
    <section class="card stack-s" aria-label="Deletion">
      <div class="row">
        <h2>{isDone ? 'Person deleted' : 'Deleting person'}</h2>
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
  removing_events: { value: 1, label: 'Deleting events…' },
  erasing: { value: 2, label: 'Events are no longer visible. Rewriting data files so that nothing remains on disk…' },
  complete: { value: 3, label: 'Done. All data files were scanned and contain nothing about this person.' },
};

function State({ deletion: { state, removed, scan } }: { deletion: Deletion }) {
  const step = STEPS[state] ?? { value: 0, label: state };
  return (
    <>
      <Progress label={step.label} value={step.value} max={3} />
      <Facts
        facts={[
          ['Events', removed.events === null ? 'Counting…' : pluralize(removed.events, 'event')],
          ['Distinct IDs', pluralize(removed.distinct_ids, 'distinct ID')],
          ['Property history', pluralize(removed.property_history, 'entry', 'entries')],
          ['Merges', pluralize(removed.merges, 'merge')],
          ...(scan
            ? [
                [
                  'Scanned',
                  `${pluralize(scan.files, 'file')}, ${formatBytes(scan.bytes)}; ${pluralize(scan.rows, 'row')} remaining`,
                ] as [string, string],
              ]
            : []),
        ]}
      />
      {scan?.mentioned_in && scan.mentioned_in.length > 0 && (
        <p class="small">
          A distinct ID of this person still occurs in {scan.mentioned_in.join(', ')}: other data refers to it, or new
          events used it.
        </p>
      )}
    </>
  );
}
