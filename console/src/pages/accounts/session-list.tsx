/** Where the user is signed in, and how to sign out elsewhere. */
import { endOtherSessions, endSession, listSessions, type OpenSession } from '../../api/accounts.ts';
import { Button } from '../../components/button.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { useResource } from '../../lib/use-resource.ts';
import { describeBrowser } from './describe-browser.ts';

const METHODS: Readonly<Record<string, string>> = {
  password: 'Password',
  oidc: 'Single sign-on',
  passkey: 'Passkey',
  setup: 'Setup link',
};

const SESSION_COLUMNS: Column<OpenSession>[] = [
  {
    id: 'browser',
    title: 'Browser',
    cell: ({ user_agent, is_current }) => (
      <>
        <b class="truncate">{describeBrowser(user_agent)}</b>
        {is_current && <div class="muted small">This session</div>}
      </>
    ),
  },
  { id: 'ip', title: 'IP address', isWide: true, cell: ({ ip }) => <code>{ip}</code> },
  { id: 'method', title: 'Signed in with', isWide: true, cell: ({ method }) => METHODS[method] ?? method },
  { id: 'seen', title: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} as="relative" /> },
];

/** `end` is not offered for the session that is used. */
export function sessionColumns(end: (id: string) => void): Column<OpenSession>[] {
  return [
    ...SESSION_COLUMNS,
    {
      id: 'end',
      title: 'Sign out',
      hideTitle: true,
      cell: (session) =>
        !session.is_current && (
          <Button
            small
            kind="quiet"
            aria-label={`Sign out ${describeBrowser(session.user_agent)}`}
            onClick={() => end(session.id)}
          >
            Sign out
          </Button>
        ),
    },
  ];
}

export function SessionList() {
  const sessions = useResource(listSessions, []);
  const change = (work: Promise<void>, done: string): void =>
    void work.then(() => toast(done), toastError).then(sessions.reload);
  const columns = sessionColumns((id) => change(endSession(id), 'Signed out there.'));
  return (
    <section class="card stack" aria-label="Sessions">
      <h2>Sessions</h2>
      <p class="muted">Where you are signed in. Keys are not affected by signing out.</p>
      <Loaded resource={sessions}>
        {(data) => (
          <>
            <Table label="Sessions, latest seen first" columns={columns} rows={data} rowKey={({ id }) => id} />
            {data.length > 1 && (
              <div>
                <Button onClick={() => change(endOtherSessions(), 'Signed out everywhere else.')}>
                  Sign out everywhere else
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
