import { listActivity } from '../../api/activity.ts';
import { listPropertyHistory, type Person, type PropertyChange } from '../../api/persons.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Link } from '../../components/link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

/** Every value that a property has had, and what set it: an event, or somebody by hand. */
export function PropertyHistory({ person, name, onClose }: { person: Person; name: string; onClose(): void }) {
  const { id } = useProject();
  const { uuid } = person;
  const history = useResource(
    async (signal) => {
      const byHand = await listActivity(id, ['persons', uuid], { limit: 1000 }, signal);
      const who = new Map(byHand.results.map((entry) => [entry.id, entry.user.first_name || entry.user.email || '']));
      return { changes: (await listPropertyHistory(id, uuid, name, signal)).results, who };
    },
    [id, uuid, name],
  );
  return (
    <Dialog side title={`History of ${name}`} onClose={onClose}>
      <Loaded resource={history}>
        {({ changes, who }) =>
          changes.length === 0 ? (
            <Empty title="Nothing is known">
              It came with the first event of the person, or with somebody who was merged in, and has not changed since.
            </Empty>
          ) : (
            <ol class="changes-list">
              {changes.map((change, index) => (
                <li key={index} class="card">
                  <Facts
                    facts={[
                      ['When', <Time at={change.changed_at} />],
                      ['Before', <Side isSet={change.was_set} value={change.before} />],
                      ['After', <Side isSet={change.is_set} value={change.after} />],
                      ['By', <Source change={change} who={who} />],
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
  isSet ? <ValueText value={value} /> : <span class="soft">not set</span>;

function Source({ change: { source_id }, who }: { change: PropertyChange; who: ReadonlyMap<string, string> }) {
  const { id } = useProject();
  if (source_id === null) return <>a split of the person</>;
  const somebody = who.get(source_id);
  if (somebody !== undefined) return <>{somebody}, by hand</>;
  return <Link to={`${pathTo('live', { project: id })}?open=${encodeURIComponent(source_id)}`}>an event</Link>;
}
