import { useState } from 'preact/hooks';
import { getPersonSummary, listMerges, type Merge, undoMerge } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import type { TabProps } from './tab-props.ts';

const SHOWN_IDS = 50;
const PAGE_SIZE = 25;

export function DistinctIdsTab({ person, onChange }: TabProps) {
  const [isAll, setAll] = useState(false);
  const { distinct_ids: ids } = person;
  return (
    <>
      <section class="stack-s" aria-label="Distinct IDs">
        <h2>{pluralize(ids.length, 'distinct ID')}</h2>
        <ul class="id-list">
          {(isAll ? ids : ids.slice(0, SHOWN_IDS)).map((id) => (
            <li key={id}>
              <code>{id}</code>
            </li>
          ))}
        </ul>
        {!isAll && ids.length > SHOWN_IDS && (
          <div>
            <Button small onClick={() => setAll(true)}>
              Show all {formatNumber(ids.length)}
            </Button>
          </div>
        )}
      </section>
      <p class="muted small">
        Person UUID: <code>{person.uuid}</code>
      </p>
      <Merges person={person} onChange={onChange} />
    </>
  );
}

function Merges({ person, onChange }: TabProps) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const [undoing, setUndoing] = useState<Merge | null>(null);
  const merges = useResource(
    (signal) => listMerges(id, person.uuid, { limit: PAGE_SIZE, offset }, signal),
    [id, person, offset],
  );
  const columns: Column<Merge>[] = [
    { id: 'when', title: 'Merged', cell: ({ merged_at }) => <Time at={merged_at} /> },
    { id: 'kind', title: 'Method', isWide: true, cell: ({ kind }) => <code class="truncate">{String(kind)}</code> },
    {
      id: 'ids',
      title: 'Moved distinct IDs',
      cell: ({ moved_distinct_ids: moved }) => (
        <span class="truncate">
          <code>{moved[0] ?? 'None'}</code>
          {moved.length > 1 && ` and ${formatNumber(moved.length - 1)} more`}
        </span>
      ),
    },
    {
      id: 'source',
      title: 'Merged person',
      isExtraWide: true,
      cell: ({ source }) => <code class="truncate">{source.uuid}</code>,
    },
    {
      id: 'undo',
      title: 'Undo',
      hideTitle: true,
      cell: (merge) =>
        merge.undone_at !== null ? (
          <Badge>Undone</Badge>
        ) : merge.can_be_undone ? (
          <Button small onClick={() => setUndoing(merge)}>
            Undo…
          </Button>
        ) : (
          <span class="muted small">{merge.reason}</span>
        ),
    },
  ];
  return (
    <section class="stack-s" aria-label="Merges">
      <h2>Merges</h2>
      <Loaded resource={merges}>
        {({ results, count }) => (
          <>
            <Table
              label="Merges, newest first"
              columns={columns}
              rows={results}
              rowKey={(merge) => merge.id}
              empty={
                <Empty title="No merges">
                  When <code>identify</code> or <code>alias</code> merges another person into this one, the merge is
                  listed here, and you can undo it.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {undoing && (
        <UndoMerge
          merge={undoing}
          personUuid={person.uuid}
          onDone={() => {
            merges.reload();
            onChange();
          }}
          onClose={() => setUndoing(null)}
        />
      )}
    </section>
  );
}

interface UndoProps {
  merge: Merge;
  personUuid: string;
  onDone(): void;
  onClose(): void;
}

/** The limit of a URL; for more, the number of events is not loaded. */
const MAX_COUNTED = 100;

function UndoMerge({ merge, personUuid, onDone, onClose }: UndoProps) {
  const { id } = useProject();
  const { moved_distinct_ids: moved } = merge;
  const summary = useResource(
    moved.length > MAX_COUNTED ? null : (signal) => getPersonSummary(id, personUuid, signal, moved),
    [id, personUuid, merge.id],
  );
  return (
    <Confirm
      title="Undo this merge?"
      action="Undo merge"
      onClose={onClose}
      onConfirm={async () => {
        await undoMerge(id, merge.id);
        toast('Merge undone.');
        onDone();
      }}
    >
      <p>
        {pluralize(moved.length, 'distinct ID')} and{' '}
        {summary.data ? pluralize(summary.data.events, 'event') : 'all their events'} move back to the merged person,
        including events since the merge. Both persons get their previous properties back, except those that have
        changed since.
      </p>
      <ul class="id-list">
        {moved.slice(0, 20).map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
      <p class="muted small">
        Merged person: <PersonLink name={merge.source.uuid} />. Another <code>identify</code> or <code>alias</code>{' '}
        merges them again.
      </p>
    </Confirm>
  );
}
