import { useState } from 'preact/hooks';
import { deletePerson, getPersonSummary, type Person } from '../../api/persons.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

export function DeletePerson({ person, onClose }: { person: Person; onClose(): void }) {
  const { id } = useProject();
  const { uuid, name, distinct_ids: ids } = person;
  const [withEvents, setWithEvents] = useState(false);
  const [withNames, setWithNames] = useState(false);
  const summary = useResource((signal) => getPersonSummary(id, uuid, signal), [id, uuid]);
  const events = summary.data ? pluralize(summary.data.events, 'event') : 'events';
  const properties = pluralize(Object.keys(person.properties).length, 'property', 'properties');
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={withEvents ? 'Delete person and events' : 'Delete person'}
      danger
      {...(withEvents && { typed: 'delete' })}
      onClose={onClose}
      onConfirm={async () => {
        const deletion = await deletePerson(id, uuid, { withEvents, withNames });
        if (!deletion) toast(`${name} deleted.`);
        const persons = pathTo('persons', { project: id }) ?? '/';
        navigate(deletion ? `${persons}?deletion=${deletion.id}` : persons);
      }}
    >
      <p>
        This deletes the person with {pluralize(ids.length, 'distinct ID')}, {properties}, property history, merges and
        cohort memberships. <b>This cannot be undone.</b>
      </p>
      <Checkbox label={`Also delete ${events}`} checked={withEvents} onChange={setWithEvents} />
      {withEvents ? (
        <>
          <p>
            The events are removed from all insights, and data files are rewritten so that nothing remains on disk. This
            runs in the background, and you can follow the progress.
          </p>
          <Checkbox
            label="Also delete names of events, properties and groups that contain the email address or a distinct ID"
            checked={withNames}
            onChange={setWithNames}
          />
        </>
      ) : (
        <p>The events stay in insights, but no longer belong to a person.</p>
      )}
      <p class="muted small">A new event with one of these distinct IDs creates a new person.</p>
    </Confirm>
  );
}
