/** Who changed what in the organization and its projects. */
import { listOrganizationActivity } from '../../api/activity.ts';
import { ActivityList, KINDS_OF_THINGS } from '../../components/activity-list.tsx';
import { Select } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Pager } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';

const LIMIT = 50;

export function Page() {
  const { organization } = useProject();
  const [scope] = useQueryState('scope');
  const [offset, setOffset] = useOffset();
  const activity = useResource(
    (signal) =>
      listOrganizationActivity(organization, { scope, limit: LIMIT, page: Math.floor(offset / LIMIT) + 1 }, signal),
    [organization, scope, offset],
  );
  return (
    <PageFrame
      title="Activity"
      lead="Every change that somebody made in your organization, in all of its projects, with before and after."
    >
      <div class="row-end">
        <Select
          label="Changes to"
          value={scope}
          options={[
            { value: '', label: 'everything' },
            ...KINDS_OF_THINGS.map(({ scope: value, label }) => ({ value, label })),
          ]}
          onChange={(next) => changeFilter({ scope: next })}
        />
      </div>
      <Loaded resource={activity}>
        {({ results, total_count }) =>
          results.length === 0 ? (
            <Empty title="Nothing yet">
              As soon as somebody changes a flag, a person or a setting, it is listed here.
            </Empty>
          ) : (
            <>
              <ActivityList label="Changes, newest first" entries={results} />
              <Pager offset={offset} limit={LIMIT} count={total_count} onChange={setOffset} />
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}
