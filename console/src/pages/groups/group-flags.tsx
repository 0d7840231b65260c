import { type Evaluation, evaluateFlags, type FeatureFlag, listFlags } from '../../api/flags.ts';
import type { Group, GroupType } from '../../api/groups.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ValueBadge } from '../flags/affected-users.tsx';
import { audiencesOf } from '../flags/model/filters.ts';
import { describeReason } from '../flags/model/reasons.ts';
import { FlagLink } from '../persons/flags-tab.tsx';

interface Row extends Evaluation {
  flag: FeatureFlag;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'key', title: 'Flag', cell: ({ flag }) => <FlagLink name={flag.key} id={flag.id} /> },
  { id: 'value', title: 'Value', cell: ({ value }) => <ValueBadge value={value} /> },
  { id: 'why', title: 'Match reason', cell: ({ evaluation }) => describeReason(evaluation) },
];

/** The flags that are released to groups of its type, with their values. */
export function GroupFlags({ group, types }: { group: Group; types: readonly GroupType[] }) {
  const { id } = useProject();
  const { group_type_index: index, group_key: key } = group;
  const type = types.find((one) => one.group_type_index === index)?.group_type;
  const found = useResource(
    type === undefined
      ? null
      : async (signal) => {
          const { results } = await listFlags(id, { limit: 1000 }, signal);
          // Their conditions do not depend on a person, so any distinct ID will do.
          const values = await evaluateFlags(id, key, { [type]: key }, signal);
          return results.flatMap((flag): Row[] => {
            const value = values[flag.key];
            return value && audiencesOf(flag.filters).includes(index) ? [{ flag, ...value }] : [];
          });
        },
    [id, index, key, type],
  );
  return (
    <Loaded resource={found}>
      {(rows) => (
        <Table
          label="Feature flags"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ flag }) => flag.key}
          empty={
            <Empty title="No feature flags for groups of this type">
              Release a flag to them: set Match by in its release conditions.
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}
