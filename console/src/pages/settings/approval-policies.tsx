/** Which changes of feature flags need approval. */
import { useState } from 'preact/hooks';
import { type ApprovalPolicy, listPolicies, removePolicy } from '../../api/approvals.ts';
import { actionsColumn } from '../../components/actions-column.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useResource } from '../../lib/use-resource.ts';
import { PolicyDialog } from './policy-dialog.tsx';
import { ACTIONS, actionLabel, describeConditions } from './policy-draft.ts';
import type { SettingsProps } from './settings-props.ts';

export function ApprovalPolicies({ project, canEdit }: Pick<SettingsProps, 'project'> & { canEdit: boolean }) {
  const policies = useResource((signal) => listPolicies(project.id, signal), [project.id]);
  const [edited, setEdited] = useState<ApprovalPolicy | 'new' | null>(null);
  const [removed, setRemoved] = useState<ApprovalPolicy | null>(null);
  const add = (
    <Button disabled={!canEdit || policies.data?.length === ACTIONS.length} onClick={() => setEdited('new')}>
      New policy
    </Button>
  );
  return (
    <section class="card stack" aria-label="Approvals">
      <h2>Approvals</h2>
      <p class="muted">Changes of feature flags that others have to approve before they are made.</p>
      <Loaded resource={policies}>
        {(all) => (
          <Table
            label="Approval policies"
            columns={columnsFor(canEdit, setEdited, setRemoved)}
            rows={all}
            rowKey={({ id }) => id}
            empty={<Empty title="No change needs approval">A policy asks for it, for one kind of change.</Empty>}
          />
        )}
      </Loaded>
      <div>{add}</div>
      {edited !== null && (
        <PolicyDialog
          projectId={project.id}
          policy={edited === 'new' ? null : edited}
          taken={(policies.data ?? []).map(({ action_key }) => action_key)}
          onClose={() => {
            setEdited(null);
            policies.reload();
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          title="Delete policy"
          action="Delete"
          danger
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await removePolicy(project.id, removed.id);
            policies.reload();
          }}
        >
          <p>These changes are made at once from now on. Requests that wait keep waiting.</p>
        </Confirm>
      )}
    </section>
  );
}

const columnsFor = (
  canEdit: boolean,
  edit: (policy: ApprovalPolicy) => void,
  remove: (policy: ApprovalPolicy) => void,
): Column<ApprovalPolicy>[] => [
  { id: 'action', title: 'When', cell: ({ action_key }) => actionLabel(action_key) },
  { id: 'which', title: 'Which', isWide: true, cell: describeConditions },
  { id: 'quorum', title: 'Approvals', isNumber: true, cell: ({ approver_config }) => approver_config.quorum },
  {
    id: 'state',
    title: 'State',
    isWide: true,
    cell: ({ enabled }) => (enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>),
  },
  actionsColumn({ edit, remove, isEditable: () => canEdit }),
];
