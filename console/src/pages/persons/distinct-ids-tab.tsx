import { useState } from 'preact/hooks';
import { getPersonSummary, listMerges, type Merge, undoMerge } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { countOf } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import type { TabProps } from './person-page.tsx';

const SHOWN_IDS = 50;
const LIMIT = 25;

export function IdsTab({ person, onChange }: TabProps) {
  const [isAll, setAll] = useState(false);
  const { distinct_ids: ids } = person;
  return (
    <>
      <section class="stack-s" aria-label="Distinct ids">
        <h2>{countOf(ids.length, 'distinct id')}</h2>
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
              Show all {ids.length}
            </Button>
          </div>
        )}
      </section>
      <p class="soft small">
        The person itself is <code>{person.uuid}</code>, whatever ids come and go.
      </p>
      <Merges person={person} onChange={onChange} />
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  identify: 'identify',
  alias: 'alias',
  merge_dangerously: 'merge by force',
};

function Merges({ person, onChange }: TabProps) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const [asked, ask] = useState<Merge | null>(null);
  const merges = useResource(
    (signal) => listMerges(id, person.uuid, { limit: LIMIT, offset }, signal),
    [id, person, offset],
  );
  const columns: Column<Merge>[] = [
    { id: 'when', title: 'When', cell: ({ merged_at }) => <Time at={merged_at} /> },
    { id: 'kind', title: 'By', isWide: true, cell: ({ kind }) => KINDS[String(kind)] ?? String(kind) },
    {
      id: 'ids',
      title: 'Ids that came',
      cell: ({ moved_distinct_ids: moved }) => (
        <span class="cut">
          <code>{moved[0] ?? 'none'}</code>
          {moved.length > 1 && ` and ${moved.length - 1} more`}
        </span>
      ),
    },
    { id: 'source', title: 'From', isWide: true, cell: ({ source }) => <code class="cut">{source.uuid}</code> },
    {
      id: 'undo',
      title: '',
      cell: (merge) =>
        merge.undone_at !== null ? (
          <Badge>undone</Badge>
        ) : merge.can_be_undone ? (
          <Button small onClick={() => ask(merge)}>
            Undo…
          </Button>
        ) : (
          <span class="soft small">{merge.reason}</span>
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
              label="Merges that made this person, newest first"
              columns={columns}
              rows={results}
              rowKey={(merge) => merge.id}
              empty={
                <Empty title="Never merged">
                  When <code>identify</code> or <code>alias</code> joins another person with this one, it is written
                  down here, and can be undone.
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {asked && (
        <UndoMerge
          merge={asked}
          personUuid={person.uuid}
          onDone={() => {
            merges.reload();
            onChange();
          }}
          onClose={() => ask(null)}
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

/** As many as fit into an address; beyond that the number is not asked for. */
const MOST_COUNTED = 100;

function UndoMerge({ merge, personUuid, onDone, onClose }: UndoProps) {
  const { id } = useProject();
  const { moved_distinct_ids: moved } = merge;
  const summary = useResource(
    moved.length > MOST_COUNTED ? null : (signal) => getPersonSummary(id, personUuid, signal, moved),
    [id, personUuid, merge.id],
  );
  return (
    <Confirm
      title="Undo this merge?"
      action="Make two persons of one"
      onClose={onClose}
      onConfirm={async () => {
        await undoMerge(id, merge.id);
        toast('The merge is undone: they are two persons again.');
        onDone();
      }}
    >
      <p>
        {countOf(moved.length, 'id goes', 'ids go')} back to the person who was merged in, together with{' '}
        {summary.data ? countOf(summary.data.events, 'event') : 'all events'} that came under{' '}
        {moved.length === 1 ? 'it' : 'them'}, before the merge and since. Both persons get back the properties that they
        had, as far as nothing has changed them since.
      </p>
      <ul class="id-list">
        {moved.slice(0, 20).map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
      <p class="soft small">
        The other person is <PersonLink name={merge.source.uuid} />. It takes another <code>identify</code> or{' '}
        <code>alias</code> to join them again.
      </p>
    </Confirm>
  );
}
