import { useState } from 'preact/hooks';
import {
  addRoleMember,
  CAN_EDIT,
  CAN_VIEW,
  createRole,
  deleteRole,
  getFlagDefault,
  listRoleMembers,
  listRoles,
  type Member,
  type Role,
  removeRoleMember,
  setFlagDefault,
  updateRole,
} from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

interface RolesProps {
  organizationId: string;
  members: readonly Member[];
  isAdmin: boolean;
}

const LEVELS = [
  { value: String(CAN_EDIT), label: 'Can edit all feature flags' },
  { value: String(CAN_VIEW), label: 'Can edit only flags shared with the role' },
];

export function Roles({ organizationId, members, isAdmin }: RolesProps) {
  const roles = useResource((signal) => listRoles(organizationId, signal), [organizationId]);
  const [open, setOpen] = useQueryState('role', '', { isStep: true });
  const [name, setName] = useState('');
  const add = useAction(async () => {
    await createRole(organizationId, name);
    setName('');
    roles.reload();
  });
  const columns: Column<Role>[] = [
    { id: 'name', title: 'Role', cell: (role) => <b class="truncate">{role.name}</b> },
    {
      id: 'level',
      title: 'Feature flag access',
      isWide: true,
      cell: (role) => LEVELS.find(({ value }) => value === String(role.feature_flags_access_level))?.label,
    },
    { id: 'members', title: 'Members', cell: (role) => role.members || <span class="muted">None</span> },
  ];
  const opened = roles.data?.find(({ id }) => id === open);
  return (
    <section class="stack" aria-label="Roles">
      <h2>Roles</h2>
      <FlagDefaultField organizationId={organizationId} isAdmin={isAdmin} />
      <Loaded resource={roles}>
        {(data) => (
          <Table
            label="Roles"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            onOpen={({ id }) => setOpen(id)}
            openKey={open === '' ? null : open}
            empty={
              <Empty title="No roles yet">
                If members can only view feature flags, create a role to let some of them edit all flags, or only
                certain flags.
              </Empty>
            }
          />
        )}
      </Loaded>
      {isAdmin && (
        <form
          class="row-end"
          onSubmit={(event) => {
            event.preventDefault();
            void add.run();
          }}
        >
          <TextField
            label="New role"
            placeholder="Release managers"
            value={name}
            onInput={setName}
            required
            maxLength={200}
          />
          <Button type="submit" busy={add.busy}>
            Create role
          </Button>
        </form>
      )}
      {add.error !== undefined && <ErrorNote error={add.error} />}
      {opened && (
        <RoleDialog
          key={opened.id}
          role={opened}
          organizationId={organizationId}
          members={members}
          isAdmin={isAdmin}
          onChange={roles.reload}
          onClose={() => setOpen('')}
        />
      )}
    </section>
  );
}

const DEFAULTS = [
  { value: String(CAN_EDIT), label: 'Can edit all feature flags' },
  { value: String(CAN_VIEW), label: 'Can view all, edit their own' },
];

function FlagDefaultField({ organizationId, isAdmin }: Pick<RolesProps, 'organizationId' | 'isAdmin'>) {
  const access = useResource((signal) => getFlagDefault(organizationId, signal), [organizationId]);
  const choose = (level: string): void =>
    void setFlagDefault(organizationId, access.data ?? null, Number(level)).then(access.set, toastError);
  return (
    <Loaded resource={access}>
      {(data) => (
        <Select
          label="Default feature flag access"
          hint="For members without a role, and for new roles. Admins can always edit."
          value={String(data?.access_level ?? CAN_EDIT)}
          options={DEFAULTS}
          disabled={!isAdmin}
          onChange={choose}
        />
      )}
    </Loaded>
  );
}

interface RoleDialogProps extends RolesProps {
  role: Role;
  onChange(): void;
  onClose(): void;
}

function RoleDialog({ role, organizationId, members, isAdmin, onChange, onClose }: RoleDialogProps) {
  const inRole = useResource((signal) => listRoleMembers(organizationId, role.id, signal), [organizationId, role.id]);
  const [isDeleting, setDeleting] = useState(false);
  const after = (action: Promise<unknown>): void =>
    void action.catch(toastError).then(() => {
      inRole.reload();
      onChange();
    });
  const setMember = (member: Member, isIn: boolean): void => {
    const membership = inRole.data?.find(({ user }) => user.uuid === member.user.uuid);
    if (isIn) after(addRoleMember(organizationId, role.id, member.user.uuid));
    else if (membership) after(removeRoleMember(organizationId, role.id, membership.id));
  };
  return (
    <Dialog side title={role.name} onClose={onClose}>
      <Select
        label="Feature flag access"
        value={String(role.feature_flags_access_level)}
        options={LEVELS}
        disabled={!isAdmin}
        onChange={(level) =>
          after(
            updateRole(organizationId, role.id, {
              feature_flags_access_level: level === String(CAN_EDIT) ? CAN_EDIT : CAN_VIEW,
            }),
          )
        }
      />
      {role.associated_flags !== '' && (
        <p>
          Flags shared with this role: <code>{role.associated_flags}</code>
        </p>
      )}
      <h3>Members</h3>
      <Loaded resource={inRole}>
        {(data) => (
          <div class="stack-s">
            {members.map((member) => (
              <Checkbox
                key={member.id}
                label={`${member.user.first_name || ''} ${member.user.email}`.trim()}
                checked={data.some(({ user }) => user.uuid === member.user.uuid)}
                disabled={!isAdmin}
                onChange={(isIn) => setMember(member, isIn)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isAdmin && (
        <div>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete role…
          </Button>
        </div>
      )}
      {isDeleting && (
        <Confirm
          title={`Delete the role ${role.name}?`}
          action="Delete role"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deleteRole(organizationId, role.id);
            toast('Role deleted.');
            onChange();
            onClose();
          }}
        >
          <p>
            {role.members === '' ? 'It has no members.' : `Members: ${role.members}.`} Feature flags that only this role
            could edit stay editable by admins and the people who created them.
          </p>
        </Confirm>
      )}
    </Dialog>
  );
}
