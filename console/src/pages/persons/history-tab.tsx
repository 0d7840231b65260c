import { useState } from 'preact/hooks';
import { listActivity } from '../../api/activity.ts';
import type { Person } from '../../api/persons.ts';
import { ActivityList } from '../../components/activity-list.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Pager } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 25;

/** Manual changes; changes by events are in the history of each property. */
export function HistoryTab({ person }: { person: Person }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const query = { limit: PAGE_SIZE, page: offset / PAGE_SIZE + 1 };
  const activity = useResource(
    (signal) => listActivity(id, ['persons', person.uuid], query, signal),
    [id, person, offset],
  );
  return (
    <Loaded resource={activity}>
      {({ results, total_count }) =>
        results.length === 0 ? (
          <Empty title="No activity yet">
            Manual changes to this person, such as edited properties, splits and undone merges, appear here.
          </Empty>
        ) : (
          <>
            <ActivityList label="Activity, newest first" entries={results} />
            <Pager offset={offset} limit={PAGE_SIZE} count={total_count} onChange={setOffset} />
          </>
        )
      }
    </Loaded>
  );
}
