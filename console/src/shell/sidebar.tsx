import { useEffect, useState } from 'preact/hooks';
import { setCurrentProject, signOut } from '../api/accounts.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { Menu } from '../components/menu.tsx';
import { toastError } from '../components/toast.tsx';
import { classes } from '../lib/classes.ts';
import { findRoute, NAV_GROUPS, pathTo, routesIn } from '../lib/route-table.ts';
import { navigate, useLocation } from '../lib/router.ts';
import { useSession } from '../lib/session.ts';
import { applyTheme, readTheme, type Theme } from '../lib/theme.ts';
import { Logo } from './logo.tsx';
import { NewProject } from './new-project.tsx';

/** On narrow screens a bar at the top that opens. */
export function Sidebar() {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after navigation
  useEffect(() => setOpen(false), [path]);
  return (
    <div class={classes('sidebar', isOpen && 'is-open')}>
      <Link class="brand" to="/">
        <Logo />
        Cairn
      </Link>
      <span class="sidebar-toggle">
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
  /** The page itself, or the list that it belongs to. */
  const currentOf = (entry: string) =>
    entry === current ? 'page' : current.startsWith(`${entry}/`) ? 'true' : undefined;
  const groups = NAV_GROUPS.map((group) => ({ group, routes: routesIn(group) }));
  return (
    <nav id="navigation" aria-label="Main">
      {groups
        .filter(({ routes }) => routes.length > 0)
        .map(({ group, routes }) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            {routes.map(({ name, nav, path: entry }) => (
              <Link key={name} to={pathTo(name, { project: project.id }) ?? '/'} aria-current={currentOf(entry)}>
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
  const [isCreating, setCreating] = useState(false);
  const choose = (id: number): void => {
    // So that the next visit starts there.
    setCurrentProject(id).catch(toastError);
    navigate(pathTo('live', { project: id }) ?? '/');
  };
  return (
    <>
      <Menu label={<span class="truncate">{project.name}</span>}>
        {projects.map(({ id, name }) => (
          <button type="button" key={id} aria-current={id === project.id} onClick={() => choose(id)}>
            {name}
          </button>
        ))}
        <hr />
        <button type="button" onClick={() => setCreating(true)}>
          New project…
        </button>
      </Menu>
      {isCreating && <NewProject onClose={() => setCreating(false)} />}
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
    <Menu up label={<span class="truncate">{me.first_name || me.email}</span>}>
      {account && <Link to={account}>Account settings</Link>}
      <a href="/docs">API reference</a>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </Menu>
  );
}

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
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
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map(({ value, label }) => (
        <button type="button" key={value} aria-pressed={value === theme} onClick={() => choose(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
