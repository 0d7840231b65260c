import { useState } from 'preact/hooks';
import { getPersonSummary, type Person, splitPerson } from '../../api/persons.ts';
import { Combobox } from '../../components/combobox.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { countOf } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

/** One id stays, every other one becomes a person of its own. */
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
  const isTheirs = ids.includes(main);
  const counts = useResource(
    async (signal) => {
      const all = await getPersonSummary(id, uuid, signal);
      const kept = isTheirs ? await getPersonSummary(id, uuid, signal, [main]) : all;
      return { moved: all.events - kept.events, kept: kept.events };
    },
    [id, uuid, main],
  );
  const others = ids.length - 1;
  return (
    <Confirm
      title={`Split ${person.name}?`}
      action={`Make ${countOf(others, 'new person', 'new persons')}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        const kept = await splitPerson(id, uuid, main);
        toast(`Done: ${countOf(others, 'id has', 'ids have')} a person of their own now.`);
        onDone(kept);
      }}
    >
      <Combobox
        label="The id that stays, with all properties"
        value={main}
        onChange={setMain}
        error={isTheirs ? null : 'This is not an id of the person. Take one of the list.'}
        suggest={async (text) =>
          ids
            .filter((one) => one.toLowerCase().includes(text.toLowerCase()))
            .slice(0, 50)
            .map((value) => ({ value }))
        }
        inputs={[ids]}
      />
      <p>
        {others === 1 ? 'The other id becomes a person' : `Each of the other ${countOf(others, 'id')} becomes a person`}{' '}
        of its own, without properties, and takes its events along
        {counts.data
          ? `: ${countOf(counts.data.moved, 'event')} in all. ${countOf(counts.data.kept, 'event')} stay here.`
          : '.'}
      </p>
      <p>
        <b>This cannot be undone at once.</b> To join them again, send <code>$create_alias</code> or{' '}
        <code>$merge_dangerously</code> for each id.
      </p>
    </Confirm>
  );
}
