/** Where a member is signed in, for admins. */
import { endMemberSession, listMemberSessions, type Member } from '../../api/organizations.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useResource } from '../../lib/use-resource.ts';
import { sessionColumns } from './session-list.tsx';

interface MemberSessionsProps {
  organizationId: string;
  member: Member;
  onClose(): void;
}

export function MemberSessions({ organizationId, member: { user }, onClose }: MemberSessionsProps) {
  const sessions = useResource((signal) => listMemberSessions(organizationId, user.uuid, signal), [user.uuid]);
  const end = (id: string): void =>
    void endMemberSession(organizationId, user.uuid, id)
      .then(() => toast('Signed out there.'), toastError)
      .then(sessions.reload);
  return (
    <Dialog title={`Sessions of ${user.first_name || user.email}`} side onClose={onClose}>
      <p class="muted">Ending a session signs them out there at once. Their personal API keys keep working.</p>
      <Loaded resource={sessions}>
        {(data) => (
          <Table
            label="Sessions, latest seen first"
            columns={sessionColumns(end)}
            rows={data}
            rowKey={({ id }) => id}
            empty={<Empty title="Not signed in">They have no open session.</Empty>}
          />
        )}
      </Loaded>
    </Dialog>
  );
}
