import { useState } from 'preact/hooks';
import { deletePerson, getPersonSummary, type Person } from '../../api/persons.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { countOf } from '../../lib/format.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

export function DeletePerson({ person, onClose }: { person: Person; onClose(): void }) {
  const { id } = useProject();
  const { uuid, name, distinct_ids: ids } = person;
  const [withEvents, setWithEvents] = useState(false);
  const summary = useResource((signal) => getPersonSummary(id, uuid, signal), [id, uuid]);
  const events = summary.data ? countOf(summary.data.events, 'event') : 'events';
  const properties = countOf(Object.keys(person.properties).length, 'property', 'properties');
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={withEvents ? 'Delete the person and all events' : 'Delete the person'}
      danger
      {...(withEvents && { typed: 'delete' })}
      onClose={onClose}
      onConfirm={async () => {
        const deletion = await deletePerson(id, uuid, withEvents);
        if (!deletion) toast(`${name} is deleted.`);
        const persons = pathTo('persons', { project: id }) ?? '/';
        navigate(deletion ? `${persons}?deletion=${deletion.id}` : persons);
      }}
    >
      <p>
        The person goes at once, with {countOf(ids.length, 'distinct id')}, {properties}, their history, merges and
        places in cohorts. <b>This cannot be undone.</b>
      </p>
      <Checkbox label={`Delete the ${events} of the person too`} checked={withEvents} onChange={setWithEvents} />
      {withEvents ? (
        <p>
          The {events} are removed from every chart, and every file is written afresh, so that nothing is left on disk.
          That goes on in the background; you see how far it is.
        </p>
      ) : (
        <p>The {events} stay in charts, without anybody they belong to.</p>
      )}
      <p class="soft small">A later event with one of these distinct ids begins somebody new.</p>
    </Confirm>
  );
}
