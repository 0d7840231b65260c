/** Who is there decides what is shown: the page alone, or the page inside of the shell. */

import { getMe } from '../api/accounts.ts';
import { ApiError } from '../api/api-error.ts';
import { listProjects } from '../api/projects.ts';
import { onSessionEnd } from '../api/request.ts';
import './shell.css';
import { useEffect, useMemo } from 'preact/hooks';
import { Link } from '../components/link.tsx';
import { Empty, ErrorNote, Skeleton } from '../components/states.tsx';
import { Toasts } from '../components/toast.tsx';
import { findRoute, pathTo } from '../lib/route-table.ts';
import { navigate, usePlace } from '../lib/router.ts';
import { type Session, SessionContext } from '../lib/session.ts';
import { useResource } from '../lib/use-resource.ts';
import { LazyPage } from './lazy-page.tsx';
import { Rail } from './sidebar.tsx';
import { StatusBanner } from './status-banner.tsx';

/** Signed out or expired: to the sign-in page, and from there back to where one was. */
function goToSignIn(): void {
  const { pathname, search } = location;
  if (findRoute(pathname)?.route.open) return;
  const next = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
  navigate(`/login${next}`, { replace: true });
}
onSessionEnd(goToSignIn);

export function App() {
  const { path } = usePlace();
  const found = findRoute(path);
  return (
    <>
      {found?.route.open ? <LazyPage route={found.route} params={found.params} /> : <Inside path={path} />}
      <Toasts />
    </>
  );
}

type Known = Pick<Session, 'me' | 'projects'>;

async function readSession(signal: AbortSignal): Promise<Known> {
  const [me, projects] = await Promise.all([getMe(signal), listProjects(signal)]);
  return { me, projects };
}

function Inside({ path }: { path: string }) {
  const known = useResource(readSession, []);
  const found = findRoute(path);
  const asked = found?.params['project'];
  const session = useMemo(
    () => (known.data ? sessionOf(known.data, asked, known.reload) : null),
    [known.data, asked, known.reload],
  );
  useEffect(() => {
    if (path === '/' && session) navigate(homeOf(session), { replace: true });
  }, [path, session]);
  const isSignedOut = known.error instanceof ApiError && known.error.status === 401;
  if (known.error !== undefined && !isSignedOut) {
    return (
      <div class="alone">
        <ErrorNote error={known.error} onRetry={known.reload} />
      </div>
    );
  }
  if (known.data === undefined) {
    return (
      <div class="alone">
        <div class="panel">
          <Skeleton lines={3} />
        </div>
      </div>
    );
  }
  if (session === null) return <NoProject />;
  return (
    <SessionContext.Provider value={session}>
      <a class="skip unseen" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Rail />
        <main class="main" id="main" tabIndex={-1}>
          <StatusBanner />
          {found ? (
            // Another project is another page: nothing of the one before stays.
            <LazyPage key={session.project.id} route={found.route} params={found.params} />
          ) : (
            path !== '/' && <Nowhere />
          )}
        </main>
      </div>
    </SessionContext.Provider>
  );
}

/** Null where the user has no project, or not the one that is asked for. */
function sessionOf({ me, projects }: Known, asked: string | undefined, reload: () => void): Session | null {
  const project = asked === undefined ? (me.team ?? projects[0]) : projects.find(({ id }) => String(id) === asked);
  return project ? { me, project, projects, reload } : null;
}

const homeOf = ({ project }: Session): string =>
  pathTo(project.ingested_event ? 'live' : 'welcome', { project: project.id }) ?? '/';

const NoProject = () => (
  <div class="alone">
    <Empty title="There is no such project here" action={<a href="/">Go to your project</a>}>
      It was deleted, or belongs to an organization that you are not looking at. Ask whoever sent you the link.
    </Empty>
  </div>
);

const Nowhere = () => (
  <div class="page">
    <Empty title="There is no page at this address" action={<Link to="/">Go to the start</Link>}>
      The link may be from another version of the console.
    </Empty>
  </div>
);
