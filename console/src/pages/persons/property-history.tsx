import { listActivity } from '../../api/activity.ts';
import { listPropertyHistory, type Person, type PropertyChange } from '../../api/persons.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Link } from '../../components/link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { propertyLabel } from '../../lib/friendly-names.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

/** Previous values of a property, and what set them: an event or a user. */
export function PropertyHistory({ person, name, onClose }: { person: Person; name: string; onClose(): void }) {
  const { id } = useProject();
  const { uuid } = person;
  const history = useResource(
    async (signal) => {
      const manual = await listActivity(id, ['persons', uuid], { limit: 1000 }, signal);
      const users = new Map(manual.results.map((entry) => [entry.id, entry.user.first_name || entry.user.email || '']));
      return { changes: (await listPropertyHistory(id, uuid, name, signal)).results, users };
    },
    [id, uuid, name],
  );
  return (
    <Dialog side title={`History of ${propertyLabel(name)}`} onClose={onClose}>
      <Loaded resource={history}>
        {({ changes, users }) =>
          changes.length === 0 ? (
            <Empty title="No changes recorded">
              The value was set with the first event, or by a merge, and has not changed since.
            </Empty>
          ) : (
            <ol class="changes-list">
              {changes.map((change, index) => (
                <li key={index} class="card">
                  <Facts
                    facts={[
                      ['Changed', <Time at={change.changed_at} />],
                      ['Before', <Side isSet={change.was_set} value={change.before} />],
                      ['After', <Side isSet={change.is_set} value={change.after} />],
                      ['Source', <Source change={change} users={users} />],
                    ]}
                  />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Dialog>
  );
}

const Side = ({ isSet, value }: { isSet: boolean; value: unknown }) =>
  isSet ? <ValueText value={value} /> : <span class="muted">Not set</span>;

function Source({ change: { source_id }, users }: { change: PropertyChange; users: ReadonlyMap<string, string> }) {
  const { id } = useProject();
  if (source_id === null) return <>Person split</>;
  const user = users.get(source_id);
  if (user !== undefined) return <>Edited by {user}</>;
  return <Link to={`${pathTo('live', { project: id })}?open=${encodeURIComponent(source_id)}`}>Event</Link>;
}
