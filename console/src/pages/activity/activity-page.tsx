import { listOrganizationActivity } from '../../api/activity.ts';
import { ActivityList, SCOPES } from '../../components/activity-list.tsx';
import { Select } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Pager } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;

export function Page() {
  const { organization } = useProject();
  const [scope] = useQueryState('scope');
  const [offset, setOffset] = useOffset();
  const activity = useResource(
    (signal) =>
      listOrganizationActivity(
        organization,
        { scope, limit: PAGE_SIZE, page: Math.floor(offset / PAGE_SIZE) + 1 },
        signal,
      ),
    [organization, scope, offset],
  );
  return (
    <PageFrame title="Activity log" lead="All changes made in your organization and its projects.">
      <div class="row-end">
        <Select
          label="Type"
          value={scope}
          options={[
            { value: '', label: 'All activity' },
            ...SCOPES.map(({ scope: value, label }) => ({ value, label })),
          ]}
          onChange={(next) => changeFilter({ scope: next })}
        />
      </div>
      <Loaded resource={activity}>
        {({ results, total_count }) =>
          results.length === 0 ? (
            <Empty title="No activity yet">Changes to feature flags, persons, cohorts and settings appear here.</Empty>
          ) : (
            <>
              <ActivityList label="Activity, newest first" entries={results} />
              <Pager offset={offset} limit={PAGE_SIZE} count={total_count} onChange={setOffset} />
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}
