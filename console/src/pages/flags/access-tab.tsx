/** Which roles may change the flag. */

import { useState } from 'preact/hooks';
import {
  type FeatureFlag,
  type FlagRoleAccess,
  grantRoleAccess,
  listRoleAccess,
  revokeRoleAccess,
} from '../../api/flags.ts';
import { listRoles } from '../../api/organizations.ts';
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

const CAN_EDIT = 37;

export function AccessTab({ flag }: { flag: FeatureFlag }) {
  const { id, organization } = useProject();
  const access = useResource((signal) => listRoleAccess(id, flag.id, signal), [id, flag.id]);
  const roles = useResource((signal) => listRoles(organization, signal), [organization]);
  const take = useAction(async ({ id: accessId, role }: FlagRoleAccess) => {
    await revokeRoleAccess(id, flag.id, accessId);
    toast(`${role.name} may no longer change ${flag.key} by this.`);
    access.reload();
  });
  const columns: Column<FlagRoleAccess>[] = [
    { id: 'role', title: 'Role', cell: ({ role }) => <b>{role.name}</b> },
    { id: 'members', title: 'Members', cell: ({ role }) => role.members || <span class="soft">nobody yet</span> },
    { id: 'since', title: 'Since', isWide: true, cell: ({ added_at }) => <Time at={added_at} /> },
    {
      id: 'take',
      title: '',
      cell: (one) => (
        <Button
          small
          busy={take.busy}
          aria-label={`Take access from ${one.role.name}`}
          onClick={() => void take.run(one)}
        >
          Take away
        </Button>
      ),
    },
  ];
  return (
    <>
      <p>
        Admins and whoever made the flag{flag.created_by && ` (${flag.created_by.first_name || flag.created_by.email})`}{' '}
        can always change it. Others can if their organization or one of their roles may edit flags, or if a role of
        theirs stands here.
      </p>
      <Loaded resource={access}>
        {({ results }) => (
          <>
            <Table
              label="Roles that may change this flag"
              columns={columns}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                <Empty title="No role was given access to this flag alone">
                  Where roles may only look at flags, give one of them access here, and its members can change this flag
                  and no other.
                </Empty>
              }
            />
            {take.error !== undefined && <ErrorNote error={take.error} />}
            <Loaded resource={roles}>
              {(all) => <Give flag={flag} roles={all} given={results} onGiven={access.reload} />}
            </Loaded>
          </>
        )}
      </Loaded>
    </>
  );
}

interface GiveProps {
  flag: FeatureFlag;
  roles: readonly Role[];
  given: readonly FlagRoleAccess[];
  onGiven(): void;
}

function Give({ flag, roles, given, onGiven }: GiveProps) {
  const project = useProject();
  const [roleId, setRoleId] = useState('');
  const give = useAction(async () => {
    await grantRoleAccess(project.id, flag.id, roleId);
    setRoleId('');
    onGiven();
  });
  const free = roles.filter(({ id }) => !given.some((one) => one.role_id === id));
  const settings = pathTo('members', { project: project.id });
  if (roles.length === 0) {
    return (
      <p class="soft">
        There are no roles yet.{' '}
        {settings ? <Link to={settings}>Make one among the members</Link> : 'An admin can make them'}.
      </p>
    );
  }
  if (free.length === 0) return <p class="soft">Every role has access.</p>;
  const options = free.map(({ id, name, feature_flags_access_level: level }) => ({
    value: id,
    label: level === CAN_EDIT ? `${name} (may edit all flags already)` : name,
  }));
  return (
    <>
      <form
        class="flag-try"
        onSubmit={(event) => {
          event.preventDefault();
          void give.run();
        }}
      >
        <Select
          label="Let a role change this flag"
          value={roleId}
          options={[{ value: '', label: 'choose a role' }, ...options]}
          onChange={setRoleId}
        />
        <Button type="submit" busy={give.busy} disabled={roleId === ''}>
          Give access
        </Button>
      </form>
      {give.error !== undefined && <ErrorNote error={give.error} />}
    </>
  );
}
