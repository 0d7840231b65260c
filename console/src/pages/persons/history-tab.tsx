import { useState } from 'preact/hooks';
import { listActivity } from '../../api/activity.ts';
import type { Person } from '../../api/persons.ts';
import { ActivityList } from '../../components/activity-list.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Pager } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

const LIMIT = 25;

/** What people did to the person by hand; what events did stands in the history of each property. */
export function HistoryTab({ person }: { person: Person }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const query = { limit: LIMIT, page: offset / LIMIT + 1 };
  const activity = useResource(
    (signal) => listActivity(id, ['persons', person.uuid], query, signal),
    [id, person, offset],
  );
  return (
    <Loaded resource={activity}>
      {({ results, total_count }) =>
        results.length === 0 ? (
          <Empty title="Nobody has changed this person by hand">
            Edited properties, splits and undone merges are listed here, with who did it and when.
          </Empty>
        ) : (
          <>
            <ActivityList label="Changes by hand, newest first" entries={results} />
            <Pager offset={offset} limit={LIMIT} count={total_count} onChange={setOffset} />
          </>
        )
      }
    </Loaded>
  );
}
