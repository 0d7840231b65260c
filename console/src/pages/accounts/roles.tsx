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

export interface RolesProps {
  organizationId: string;
  members: readonly Member[];
  isAdmin: boolean;
}

const LEVELS = [
  { value: String(CAN_EDIT), label: 'edit every flag' },
  { value: String(CAN_VIEW), label: 'edit only flags that name it' },
];

/** Roles say who may edit which flags. */
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
    { id: 'name', title: 'Role', cell: (role) => <b class="cut">{role.name}</b> },
    {
      id: 'level',
      title: 'May',
      isWide: true,
      cell: (role) => LEVELS.find(({ value }) => value === String(role.feature_flags_access_level))?.label,
    },
    { id: 'members', title: 'Members', cell: (role) => role.members || <span class="soft">nobody</span> },
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
              <Empty title="No roles">
                Where members may only look at flags, a role lets some of them edit: every flag, or those that name it.
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
            placeholder="release managers"
            value={name}
            onInput={setName}
            required
            maxLength={200}
          />
          <Button type="submit" busy={add.busy}>
            Make the role
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
  { value: String(CAN_EDIT), label: 'edit every flag' },
  { value: String(CAN_VIEW), label: 'look at flags, and edit their own' },
];

/** Roles matter only where members may not edit everything anyway. */
function FlagDefaultField({ organizationId, isAdmin }: Pick<RolesProps, 'organizationId' | 'isAdmin'>) {
  const known = useResource((signal) => getFlagDefault(organizationId, signal), [organizationId]);
  const choose = (level: string): void =>
    void setFlagDefault(organizationId, known.data ?? null, Number(level)).then(known.set, toastError);
  return (
    <Loaded resource={known}>
      {(data) => (
        <Select
          label="Members without a role may"
          hint="Admins may always edit. A new role begins with this level."
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
  const after = (deed: Promise<unknown>): void =>
    void deed.catch(toastError).then(() => {
      inRole.reload();
      onChange();
    });
  const put = (member: Member, isIn: boolean): void => {
    const place = inRole.data?.find(({ user }) => user.uuid === member.user.uuid);
    if (isIn) after(addRoleMember(organizationId, role.id, member.user.uuid));
    else if (place) after(removeRoleMember(organizationId, role.id, place.id));
  };
  return (
    <Dialog side title={role.name} onClose={onClose}>
      <Select
        label="Who has it may"
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
          Flags that name it: <code>{role.associated_flags}</code>
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
                onChange={(isIn) => put(member, isIn)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isAdmin && (
        <div>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete the role…
          </Button>
        </div>
      )}
      {isDeleting && (
        <Confirm
          title={`Delete the role ${role.name}?`}
          action="Delete the role"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deleteRole(organizationId, role.id);
            toast('The role is deleted.');
            onChange();
            onClose();
          }}
        >
          <p>
            {role.members === '' ? 'Nobody has it.' : `${role.members} lose it.`} Flags that only this role could edit
            can then be edited by admins and whoever made them.
          </p>
        </Confirm>
      )}
    </Dialog>
  );
}
