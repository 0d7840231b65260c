import { useState } from 'preact/hooks';
import { getPersonSummary, type Person, splitPerson } from '../../api/persons.ts';
import { Combobox } from '../../components/combobox.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

/** One distinct ID stays, every other one becomes a new person. */
export function SplitPerson({
  person,
  onDone,
  onClose,
}: {
  person: Person;
  onDone(person: Person): void;
  onClose(): void;
}) {
  const { id } = useProject();
  const { uuid, distinct_ids: ids } = person;
  const [main, setMain] = useState(ids[0] ?? '');
  const isOwn = ids.includes(main);
  const counts = useResource(
    async (signal) => {
      const all = await getPersonSummary(id, uuid, signal);
      const kept = isOwn ? await getPersonSummary(id, uuid, signal, [main]) : all;
      return { moved: all.events - kept.events, kept: kept.events };
    },
    [id, uuid, main],
  );
  const others = ids.length - 1;
  return (
    <Confirm
      title={`Split ${person.name}?`}
      action="Split person"
      danger
      onClose={onClose}
      onConfirm={async () => {
        const kept = await splitPerson(id, uuid, main);
        toast(`Person split: ${pluralize(others, 'new person')} created.`);
        onDone(kept);
      }}
    >
      <Combobox
        label="Distinct ID that keeps the properties"
        value={main}
        onChange={setMain}
        error={isOwn ? null : 'Not a distinct ID of this person. Select one from the list.'}
        suggest={async (text) =>
          ids
            .filter((one) => one.toLowerCase().includes(text.toLowerCase()))
            .slice(0, 50)
            .map((value) => ({ value }))
        }
        inputs={[ids]}
      />
      <p>
        {others === 1
          ? 'The other distinct ID becomes'
          : `Each of the other ${pluralize(others, 'distinct ID')} becomes`}{' '}
        a new person without properties, and keeps its events.
        {counts.data &&
          ` ${pluralize(counts.data.moved, 'event')} will move; ${pluralize(counts.data.kept, 'event')} will stay.`}
      </p>
      <p>
        <b>There is no undo.</b> To merge them again, send <code>$create_alias</code> or <code>$merge_dangerously</code>{' '}
        for each distinct ID.
      </p>
    </Confirm>
  );
}
