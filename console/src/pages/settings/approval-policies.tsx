/** Which changes of feature flags need approval. */
import { useState } from 'preact/hooks';
import {
  type ApprovalPolicy,
  createPolicy,
  listPolicies,
  type PolicyWrite,
  removePolicy,
  updatePolicy,
} from '../../api/approvals.ts';
import { listMembers } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../components/dialog.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { Badge, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import type { SettingsProps } from './settings-props.ts';

type ActionKey = ApprovalPolicy['action_key'];

const ACTIONS: readonly { value: ActionKey; label: string }[] = [
  { value: 'feature_flag.enable', label: 'A flag is enabled' },
  { value: 'feature_flag.disable', label: 'A flag is disabled or deleted' },
  { value: 'feature_flag.update', label: 'Conditions, variants or payloads change' },
];
const labelOf = (key: ActionKey): string => ACTIONS.find(({ value }) => value === key)?.label ?? key;

const BYPASSES = [
  { value: '', label: 'No one' },
  { value: '15', label: 'Owners' },
  { value: '8,15', label: 'Admins and owners' },
] as const;
type Bypass = (typeof BYPASSES)[number]['value'];

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
  { id: 'action', title: 'When', cell: ({ action_key }) => labelOf(action_key) },
  { id: 'quorum', title: 'Approvals', isNumber: true, cell: ({ approver_config }) => approver_config.quorum },
  {
    id: 'state',
    title: 'State',
    isWide: true,
    cell: ({ enabled }) => (enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>),
  },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (policy) =>
      canEdit && (
        <div class="row">
          <Button kind="quiet" small onClick={() => edit(policy)}>
            Edit
          </Button>
          <Button kind="quiet" small onClick={() => remove(policy)}>
            Delete
          </Button>
        </div>
      ),
  },
];

interface PolicyDialogProps {
  projectId: number;
  policy: ApprovalPolicy | null;
  /** Actions that have a policy. */
  taken: readonly ActionKey[];
  onClose(): void;
}

function PolicyDialog({ projectId, policy, taken, onClose }: PolicyDialogProps) {
  const { organization } = useProject();
  const members = useResource((signal) => listMembers(organization, signal), [organization]);
  const free = ACTIONS.filter(({ value }) => policy?.action_key === value || !taken.includes(value));
  const [action, setAction] = useState<ActionKey>(policy?.action_key ?? free[0]?.value ?? 'feature_flag.update');
  const [quorum, setQuorum] = useState(String(policy?.approver_config.quorum ?? 1));
  const [users, setUsers] = useState<readonly number[]>(policy?.approver_config.users ?? []);
  const known = policy?.conditions['tags'];
  const [tags, setTags] = useState<string[]>(Array.isArray(known) ? known.map(String) : []);
  const [isSelf, setSelf] = useState(policy?.allow_self_approve ?? false);
  const [isOn, setOn] = useState(policy?.enabled ?? true);
  const levels = policy?.bypass_org_membership_levels.join(',') ?? '';
  const [bypass, setBypass] = useState<Bypass>(BYPASSES.find(({ value }) => value === levels)?.value ?? '');
  const save = useAction(async () => {
    const { tags: _, ...conditions } = policy?.conditions ?? { type: 'any' };
    const body: PolicyWrite = {
      action_key: action,
      conditions: { ...conditions, ...(tags.length === 0 ? {} : { tags }) },
      approver_config: { quorum: Number(quorum), users: [...users], roles: policy?.approver_config.roles ?? [] },
      allow_self_approve: isSelf,
      bypass_org_membership_levels: bypass === '' ? [] : bypass.split(','),
      enabled: isOn,
    };
    await (policy === null ? createPolicy(projectId, body) : updatePolicy(projectId, policy.id, body));
    onClose();
  });
  const toggle = (id: number): void =>
    setUsers(users.includes(id) ? users.filter((one) => one !== id) : [...users, id]);
  return (
    <Dialog title={policy === null ? 'New policy' : 'Edit policy'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <Select<ActionKey> label="When" value={action} options={free} onChange={setAction} disabled={policy !== null} />
        <TagInput label="Only flags with one of these tags" value={tags} onChange={setTags} placeholder="All flags" />
        <TextField label="Approvals needed" type="number" value={quorum} onInput={setQuorum} />
        <fieldset class="stack">
          <legend>Who approves (admins, if none are chosen)</legend>
          <Loaded resource={members}>
            {(all) => (
              <>
                {all.map(({ user }) => (
                  <Checkbox
                    key={user.uuid}
                    label={user.email}
                    checked={users.includes(user.id)}
                    onChange={() => toggle(user.id)}
                  />
                ))}
              </>
            )}
          </Loaded>
        </fieldset>
        <Checkbox label="Whoever asks may approve, too" checked={isSelf} onChange={setSelf} />
        <Select<Bypass> label="Who need not ask" value={bypass} options={BYPASSES} onChange={setBypass} />
        <Checkbox label="On" checked={isOn} onChange={setOn} />
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <DialogActions onCancel={onClose}>
          <Button kind="primary" type="submit" busy={save.busy}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
