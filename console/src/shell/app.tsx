import './shell.css';
import { useEffect, useMemo } from 'preact/hooks';
import { getMe } from '../api/accounts.ts';
import { ApiError } from '../api/api-error.ts';
import { listProjects } from '../api/projects.ts';
import { onSessionEnd } from '../api/request.ts';
import { Link } from '../components/link.tsx';
import { PageFrame } from '../components/page.tsx';
import { Empty, ErrorNote, Skeleton } from '../components/states.tsx';
import { Toasts } from '../components/toast.tsx';
import { findRoute, pathTo } from '../lib/route-table.ts';
import { navigate, useLocation } from '../lib/router.ts';
import { type Session, SessionContext } from '../lib/session.ts';
import { useResource } from '../lib/use-resource.ts';
import { LazyPage } from './lazy-page.tsx';
import { Sidebar } from './sidebar.tsx';
import { StatusBanner } from './status-banner.tsx';

/** The sign-in page leads back to the current page. */
function goToSignIn(): void {
  const { pathname, search } = location;
  if (findRoute(pathname)?.route.isPublic) return;
  const next = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
  navigate(`/login${next}`, { replace: true });
}
onSessionEnd(goToSignIn);

export function App() {
  const { path } = useLocation();
  const found = findRoute(path);
  return (
    <>
      {found?.route.isPublic ? <LazyPage route={found.route} params={found.params} /> : <SignedIn path={path} />}
      <Toasts />
    </>
  );
}

/** Shown instead of every page while an organization requires a second factor that the user lacks. */
const FACTOR_SETUP = {
  name: 'factor-setup',
  path: '',
  load: () => import('../pages/accounts/factor-setup-page.tsx'),
};

type SessionData = Pick<Session, 'me' | 'projects'>;

async function loadSession(signal: AbortSignal): Promise<SessionData> {
  const [me, projects] = await Promise.all([getMe(signal), listProjects(signal)]);
  return { me, projects };
}

function SignedIn({ path }: { path: string }) {
  const loaded = useResource(loadSession, []);
  const found = findRoute(path);
  const projectId = found?.params['project'];
  const session = useMemo(
    () => (loaded.data ? sessionOf(loaded.data, projectId, loaded.reload) : null),
    [loaded.data, projectId, loaded.reload],
  );
  useEffect(() => {
    if (path === '/' && session) navigate(homeOf(session), { replace: true });
  }, [path, session]);
  const isSignedOut = loaded.error instanceof ApiError && loaded.error.status === 401;
  if (loaded.error instanceof ApiError && loaded.error.code === '2fa_setup_required') {
    return <LazyPage route={FACTOR_SETUP} params={{}} />;
  }
  if (loaded.error !== undefined && !isSignedOut) {
    return (
      <div class="standalone">
        <ErrorNote error={loaded.error} onRetry={loaded.reload} />
      </div>
    );
  }
  if (loaded.data === undefined) {
    return (
      <div class="standalone">
        <div class="panel">
          <Skeleton lines={3} />
        </div>
      </div>
    );
  }
  if (session === null) return <NoProject />;
  return (
    <SessionContext.Provider value={session}>
      <a class="skip visually-hidden" href="#main">
        Skip to main content
      </a>
      <div class="shell">
        <Sidebar />
        <main class="main" id="main" tabIndex={-1}>
          <StatusBanner />
          {found ? (
            // Remounts on another project, so that no state of the previous one stays.
            <LazyPage key={session.project.id} route={found.route} params={found.params} />
          ) : (
            path !== '/' && <NotFound />
          )}
        </main>
      </div>
    </SessionContext.Provider>
  );
}

/** Null if the user has no project, or no access to the requested one. */
function sessionOf({ me, projects }: SessionData, projectId: string | undefined, reload: () => void): Session | null {
  const project =
    projectId === undefined ? (me.team ?? projects[0]) : projects.find(({ id }) => String(id) === projectId);
  return project ? { me, project, projects, reload } : null;
}

const homeOf = ({ project }: Session): string =>
  pathTo(project.ingested_event ? 'web' : 'welcome', { project: project.id }) ?? '/';

const NoProject = () => (
  <div class="standalone">
    <Empty title="Project not found" action={<a href="/">Go to your project</a>}>
      It may have been deleted, or you may not have access to it. Ask the person who sent you the link.
    </Empty>
  </div>
);

const NotFound = () => (
  <PageFrame title="Page not found" lead="Check the URL, or use the navigation to find what you are looking for.">
    <Link to="/">Go to the home page</Link>
  </PageFrame>
);
