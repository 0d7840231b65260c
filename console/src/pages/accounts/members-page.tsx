import { useState } from 'preact/hooks';
import {
  ADMIN,
  allowSharing,
  LEVELS,
  listInvites,
  listMembers,
  type Member,
  removeMember,
  requireFactor,
  updateMember,
} from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Select, Switch } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useSession } from '../../lib/session.ts';
import { type Resource, useResource } from '../../lib/use-resource.ts';
import { Domains } from './domains.tsx';
import { InviteList, InviteMember } from './invites.tsx';
import { MemberSessions } from './member-sessions.tsx';
import { Roles } from './roles.tsx';

export function Page() {
  const { me, project } = useSession();
  const organization = me.organizations.find(({ id }) => id === project.organization);
  const isAdmin = (organization?.membership_level ?? 0) >= ADMIN;
  const members = useResource((signal) => listMembers(project.organization, signal), [project.organization]);
  const [isInviting, setInviting] = useState(false);
  const invites = useResource(
    async (signal) => (isAdmin ? listInvites(project.organization, signal) : []),
    [project.organization, isAdmin],
  );
  return (
    <PageFrame
      title="Members and roles"
      lead={`Members of ${organization?.name ?? 'your organization'}. Members can view and edit all projects; admins can also manage settings, members and roles; owners can do everything.`}
      actions={
        isAdmin && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <MemberTable members={members} isAdmin={isAdmin} />
      {isAdmin && <FactorRule organizationId={project.organization} />}
      {isAdmin && <SharingRule organizationId={project.organization} />}
      {isAdmin && <Domains organizationId={project.organization} />}
      <InviteList invites={invites} />
      <Roles organizationId={project.organization} members={members.data ?? []} isAdmin={isAdmin} />
      {isInviting && (
        <InviteMember
          organizationId={project.organization}
          onDone={invites.reload}
          onClose={() => setInviting(false)}
        />
      )}
    </PageFrame>
  );
}

/** Whether members must have a second factor. */
function FactorRule({ organizationId }: { organizationId: string }) {
  const { me, reload } = useSession();
  const isRequired = me.organization?.id === organizationId && me.organization.enforce_2fa;
  const change = (next: boolean): void =>
    void requireFactor(organizationId, next)
      .then(() => toast(next ? 'Two-factor authentication is required now.' : 'No longer required.'), toastError)
      .then(reload);
  return (
    <section class="card stack" aria-label="Security">
      <Switch label="Require two-factor authentication" checked={isRequired} onChange={change} />
      <p class="muted small">
        Members without it can only set it up when they sign in. Personal API keys are not affected. You need a second
        factor yourself to change this.
      </p>
    </section>
  );
}

/** Whether links open anything for people who are not signed in. */
function SharingRule({ organizationId }: { organizationId: string }) {
  const { me, reload } = useSession();
  const isAllowed = me.organization?.id === organizationId && me.organization.allow_publicly_shared_resources;
  const change = (next: boolean): void =>
    void allowSharing(organizationId, next)
      .then(() => toast(next ? 'Sharing is allowed now.' : 'All shared links are closed.'), toastError)
      .then(reload);
  return (
    <section class="card stack" aria-label="Sharing">
      <Switch label="Allow shared links" checked={isAllowed} onChange={change} />
      <p class="muted small">
        Members can share dashboards, insights and web analytics with people who are not signed in. Turning this off
        closes all links at once.
      </p>
    </section>
  );
}

const nameOf = ({ user }: Member): string => user.first_name || user.email;

function MemberTable({ members, isAdmin }: { members: Resource<Member[]>; isAdmin: boolean }) {
  const { me, project } = useSession();
  const [removing, setRemoving] = useState<Member | null>(null);
  const [withSessions, setWithSessions] = useState<Member | null>(null);
  const setLevel = (member: Member, level: string): void =>
    void updateMember(project.organization, member.user.uuid, Number(level))
      .then(() => toast(`Level of ${nameOf(member)} updated.`), toastError)
      .then(members.reload);
  const columns: Column<Member>[] = [
    {
      id: 'name',
      title: 'Member',
      cell: (member) => (
        <>
          <b>{nameOf(member)}</b>
          <div class="muted small truncate">{member.user.email}</div>
        </>
      ),
    },
    {
      id: 'level',
      title: 'Level',
      cell: (member) => (
        <Select
          label={`Level of ${nameOf(member)}`}
          hideLabel
          value={String(member.level)}
          options={LEVELS}
          disabled={!isAdmin || member.user.uuid === me.uuid}
          onChange={(level) => setLevel(member, level)}
        />
      ),
    },
    { id: 'joined', title: 'Joined', isWide: true, cell: ({ joined_at }) => <Time at={joined_at} as="relative" /> },
    {
      id: 'sessions',
      title: 'Sessions',
      hideTitle: true,
      cell: (member) =>
        isAdmin && (
          <Button
            small
            kind="quiet"
            aria-label={`Sessions of ${nameOf(member)}`}
            onClick={() => setWithSessions(member)}
          >
            Sessions
          </Button>
        ),
    },
    {
      id: 'remove',
      title: 'Remove',
      hideTitle: true,
      cell: (member) =>
        (isAdmin || member.user.uuid === me.uuid) && (
          <Button
            small
            kind="quiet"
            {...(member.user.uuid === me.uuid ? {} : { 'aria-label': `Remove… ${nameOf(member)}` })}
            onClick={() => setRemoving(member)}
          >
            {member.user.uuid === me.uuid ? 'Leave…' : 'Remove…'}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Loaded resource={members}>
        {(data) => <Table label="Members" columns={columns} rows={data} rowKey={({ id }) => id} />}
      </Loaded>
      {withSessions && (
        <MemberSessions
          organizationId={project.organization}
          member={withSessions}
          onClose={() => setWithSessions(null)}
        />
      )}
      {removing && (
        <Confirm
          title={removing.user.uuid === me.uuid ? 'Leave this organization?' : `Remove ${nameOf(removing)}?`}
          action={removing.user.uuid === me.uuid ? 'Leave organization' : 'Remove member'}
          danger
          onClose={() => setRemoving(null)}
          onConfirm={async () => {
            await removeMember(project.organization, removing.user.uuid);
            if (removing.user.uuid === me.uuid) return location.assign('/');
            members.reload();
          }}
        >
          <p>
            {removing.user.uuid === me.uuid ? 'You lose' : 'They lose'} access to all its projects at once, including
            with personal API keys. Everything they created stays. An admin can invite them again.
          </p>
        </Confirm>
      )}
    </>
  );
}
