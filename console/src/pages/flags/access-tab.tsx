import { useState } from 'preact/hooks';
import {
  type FeatureFlag,
  type FlagRoleAccess,
  grantRoleAccess,
  listRoleAccess,
  revokeRoleAccess,
} from '../../api/flags.ts';
import { CAN_EDIT, listRoles } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

type Role = FlagRoleAccess['role'];

export function AccessTab({ flag }: { flag: FeatureFlag }) {
  const { id, organization } = useProject();
  const access = useResource((signal) => listRoleAccess(id, flag.id, signal), [id, flag.id]);
  const roles = useResource((signal) => listRoles(organization, signal), [organization]);
  const revoke = useAction(async ({ id: accessId, role }: FlagRoleAccess) => {
    await revokeRoleAccess(id, flag.id, accessId);
    toast(`Access of ${role.name} revoked.`);
    access.reload();
  });
  const columns: Column<FlagRoleAccess>[] = [
    { id: 'role', title: 'Role', cell: ({ role }) => <b>{role.name}</b> },
    { id: 'members', title: 'Members', cell: ({ role }) => role.members || <span class="muted">None</span> },
    { id: 'since', title: 'Granted', isWide: true, cell: ({ added_at }) => <Time at={added_at} /> },
    {
      id: 'revoke',
      title: 'Revoke',
      hideTitle: true,
      cell: (one) => (
        <Button
          small
          busy={revoke.busy}
          aria-label={`Revoke access of ${one.role.name}`}
          onClick={() => void revoke.run(one)}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <>
      <p>
        Admins and the creator of the flag
        {flag.created_by && ` (${flag.created_by.first_name || flag.created_by.email})`} can always edit it. Other
        members can edit it if they have access to all feature flags, or if one of their roles is listed here.
      </p>
      <Loaded resource={access}>
        {({ results }) => (
          <>
            <Table
              label="Roles with access"
              columns={columns}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                <Empty title="Not shared with any role">
                  Grant access to a role to let its members edit this flag, even if they can only view other flags.
                </Empty>
              }
            />
            {revoke.error !== undefined && <ErrorNote error={revoke.error} />}
            <Loaded resource={roles}>
              {(all) => <GrantForm flag={flag} roles={all} granted={results} onGranted={access.reload} />}
            </Loaded>
          </>
        )}
      </Loaded>
    </>
  );
}

interface GrantProps {
  flag: FeatureFlag;
  roles: readonly Role[];
  granted: readonly FlagRoleAccess[];
  onGranted(): void;
}

function GrantForm({ flag, roles, granted, onGranted }: GrantProps) {
  const project = useProject();
  const [roleId, setRoleId] = useState('');
  const grant = useAction(async () => {
    await grantRoleAccess(project.id, flag.id, roleId);
    setRoleId('');
    onGranted();
  });
  const available = roles.filter(({ id }) => !granted.some((one) => one.role_id === id));
  const settings = pathTo('members', { project: project.id });
  if (roles.length === 0) {
    return (
      <p class="muted">
        There are no roles yet. {settings ? <Link to={settings}>Create a role</Link> : 'An admin can create one'} to
        share this flag.
      </p>
    );
  }
  if (available.length === 0) return <p class="muted">All roles have access.</p>;
  const options = available.map(({ id, name, feature_flags_access_level: level }) => ({
    value: id,
    label: level === CAN_EDIT ? `${name} (can edit all flags)` : name,
  }));
  return (
    <>
      <form
        class="flag-inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void grant.run();
        }}
      >
        <Select
          label="Role"
          value={roleId}
          options={[{ value: '', label: 'Select role' }, ...options]}
          onChange={setRoleId}
        />
        <Button type="submit" busy={grant.busy} disabled={roleId === ''}>
          Grant access
        </Button>
      </form>
      {grant.error !== undefined && <ErrorNote error={grant.error} />}
    </>
  );
}
