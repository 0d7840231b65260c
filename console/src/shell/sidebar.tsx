import { useEffect, useState } from 'preact/hooks';
import { setCurrentProject, signOut } from '../api/accounts.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { Menu } from '../components/menu.tsx';
import { toastError } from '../components/toast.tsx';
import { classes } from '../lib/classes.ts';
import { findRoute, NAV_GROUPS, pathTo, routesIn } from '../lib/route-table.ts';
import { navigate, usePlace } from '../lib/router.ts';
import { useSession } from '../lib/session.ts';
import { applyTheme, readTheme, type Theme } from '../lib/theme.ts';
import { Mark } from './logo.tsx';
import { NewProject } from './new-project.tsx';

/** The navigation at the side; on narrow screens a bar at the top that opens. */
export function Rail() {
  const { path } = usePlace();
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when one has gone somewhere
  useEffect(() => setOpen(false), [path]);
  return (
    <div class={classes('rail', isOpen && 'is-open')}>
      <Link class="brand" to="/">
        <Mark />
        Cairn
      </Link>
      <span class="rail-toggle">
        <Button small aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          Menu
        </Button>
      </span>
      <ProjectMenu />
      <Navigation path={path} />
      <div class="foot">
        <ThemeChoice />
        <UserMenu />
      </div>
    </div>
  );
}

function Navigation({ path }: { path: string }) {
  const { project } = useSession();
  const current = findRoute(path)?.route.path ?? '';
  /** The page itself, or where it was reached from. */
  const markOf = (entry: string) => (entry === current ? 'page' : current.startsWith(`${entry}/`) ? 'true' : undefined);
  const groups = NAV_GROUPS.map((group) => ({ group, routes: routesIn(group) }));
  return (
    <nav id="navigation" aria-label="Main">
      {groups
        .filter(({ routes }) => routes.length > 0)
        .map(({ group, routes }) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            {routes.map(({ name, nav, path: entry }) => (
              <Link key={name} to={pathTo(name, { project: project.id }) ?? '/'} aria-current={markOf(entry)}>
                {nav?.label}
              </Link>
            ))}
          </section>
        ))}
    </nav>
  );
}

function ProjectMenu() {
  const { project, projects } = useSession();
  const [isMaking, setMaking] = useState(false);
  const choose = (id: number): void => {
    // Only so that the next visit begins there.
    setCurrentProject(id).catch(toastError);
    navigate(pathTo('live', { project: id }) ?? '/');
  };
  return (
    <>
      <Menu label={<span class="cut">{project.name}</span>}>
        {projects.map(({ id, name }) => (
          <button type="button" key={id} aria-current={id === project.id} onClick={() => choose(id)}>
            {name}
          </button>
        ))}
        <hr />
        <button type="button" onClick={() => setMaking(true)}>
          New project…
        </button>
      </Menu>
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </>
  );
}

function UserMenu() {
  const { me } = useSession();
  const account = pathTo('account');
  const leave = (): void => {
    signOut().then(() => location.assign('/login'), toastError);
  };
  return (
    <Menu up label={<span class="cut">{me.first_name || me.email}</span>}>
      {account && <Link to={account}>Your account</Link>}
      <a href="/docs">API documentation</a>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </Menu>
  );
}

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme);
  const choose = (next: Theme): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <fieldset class="themes">
      <legend class="unseen">Colours</legend>
      {THEMES.map(({ value, label }) => (
        <button type="button" key={value} aria-pressed={value === theme} onClick={() => choose(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
