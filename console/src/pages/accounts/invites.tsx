/** Invitations to the organization: make one, pass its link on, withdraw it. */
import { useState } from 'preact/hooks';
import { createInvite, deleteInvite, type Invite, LEVELS, type NewInvite } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useSession } from '../../lib/session.ts';
import { type Resource, useAction } from '../../lib/use-resource.ts';

const levelLabel = (level: number): string =>
  LEVELS.find(({ value }) => value === String(level))?.label ?? String(level);

/** Shown only while there are any. */
export function InviteList({ invites }: { invites: Resource<Invite[]> }) {
  const { project } = useSession();
  const withdraw = (invite: Invite): void =>
    void deleteInvite(project.organization, invite.id)
      .then(() => toast(`Invitation of ${invite.target_email} withdrawn.`), toastError)
      .then(invites.reload);
  const columns: Column<Invite>[] = [
    {
      id: 'email',
      title: 'Email',
      cell: ({ target_email, is_expired }) => (
        <>
          <div class="truncate">{target_email}</div>
          {is_expired && <div class="muted small">Expired</div>}
        </>
      ),
    },
    { id: 'level', title: 'Level', cell: ({ level }) => levelLabel(level) },
    {
      id: 'created',
      title: 'Invited',
      isWide: true,
      cell: ({ created_at }) => <Time at={created_at} as="relative" />,
    },
    {
      id: 'withdraw',
      title: 'Withdraw',
      hideTitle: true,
      cell: (invite) => (
        <Button
          small
          kind="quiet"
          aria-label={`Withdraw invitation of ${invite.target_email}`}
          onClick={() => withdraw(invite)}
        >
          Withdraw
        </Button>
      ),
    },
  ];
  if (!invites.data?.length) return null;
  return (
    <section class="stack" aria-label="Invitations">
      <h2>Invitations</h2>
      <Table label="Invitations" columns={columns} rows={invites.data} rowKey={({ id }) => id} />
    </section>
  );
}

interface InviteMemberProps {
  organizationId: string;
  onDone(): void;
  onClose(): void;
}

export function InviteMember({ organizationId, onDone, onClose }: InviteMemberProps) {
  const [made, setMade] = useState<NewInvite | null>(null);
  return (
    <Dialog title="Invite member" onClose={onClose}>
      {made ? (
        <Made invite={made} onClose={onClose} />
      ) : (
        <InviteForm
          organizationId={organizationId}
          onMade={(invite) => {
            setMade(invite);
            onDone();
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

const Made = ({ invite, onClose }: { invite: NewInvite; onClose(): void }) => (
  <div class="stack">
    <p>
      {invite.emailing_attempt_made ? 'This link was mailed to ' : 'Give this link to '}
      <b>{invite.target_email}</b>. It works once, for three days, and is shown only now.
    </p>
    <Code text={invite.link} label="Invitation link" />
    <div>
      <Button onClick={onClose}>Done</Button>
    </div>
  </div>
);

interface InviteFormProps {
  organizationId: string;
  onMade(invite: NewInvite): void;
  onClose(): void;
}

function InviteForm({ organizationId, onMade, onClose }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [level, setLevel] = useState('1');
  const send = useAction(async () => {
    const body = { target_email: email, first_name: name, level: Number(level) as 1 | 8 | 15 };
    onMade(await createInvite(organizationId, body));
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <TextField label="Email" type="email" value={email} onInput={setEmail} required autocomplete="off" />
      <TextField label="Name" value={name} onInput={setName} maxLength={150} autocomplete="off" />
      <Select label="Level" value={level} options={LEVELS} onChange={setLevel} />
      <p class="muted small">
        You get a link to pass on. With it they choose their own password, or join with the account that they have.
      </p>
      {send.error !== undefined && <ErrorNote error={send.error} />}
      <DialogActions onCancel={onClose}>
        <Button type="submit" kind="primary" busy={send.busy}>
          Create link
        </Button>
      </DialogActions>
    </form>
  );
}
