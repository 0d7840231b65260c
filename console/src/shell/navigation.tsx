import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { Menu } from '../components/menu.tsx';
import { findRoute, NAV_GROUPS, pathTo, type Route, routesIn } from '../lib/route-table.ts';
import { useSession } from '../lib/session.ts';

/** The page itself, or the list that it belongs to. */
function currentOf(entry: Route, path: string): 'page' | 'true' | undefined {
  const current = findRoute(path)?.route.path ?? '';
  if (entry.path === current) return 'page';
  return current.startsWith(`${entry.path}/`) ? 'true' : undefined;
}

export function Navigation({ path, isRail }: { path: string; isRail: boolean }) {
  return (
    <nav id="navigation" aria-label="Main">
      {NAV_GROUPS.map((group) => (
        <div key={group} class="nav-group">
          <p aria-hidden="true">{group}</p>
          <ul class="nav-list" aria-label={group}>
            {routesIn(group).map((route) => (
              <li key={route.name}>
                <Entry route={route} path={path} isRail={isRail} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Entry({ route, path, isRail }: { route: Route; path: string; isRail: boolean }) {
  const { project } = useSession();
  const label = useRef<HTMLSpanElement>(null);
  const current = currentOf(route, path);
  // On a low screen the list scrolls.
  useEffect(() => {
    if (current) label.current?.closest('li')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  if (!route.nav) return null;
  return (
    <Link
      class="nav-item"
      to={pathTo(route.name, { project: project.id }) ?? '/'}
      aria-current={current}
      {...(isRail ? { title: route.nav.label } : {})}
    >
      <Icon name={route.nav.icon} />
      <span ref={label} class="nav-label">
        {route.nav.label}
      </span>
    </Link>
  );
}

const NavMenuLabel = ({ icon, label }: { icon: IconName; label: string }) => (
  <span class="nav-item" title={label}>
    <Icon name={icon} />
    <span class="nav-label truncate">{label}</span>
  </span>
);

export function SettingsMenu({ path }: { path: string }) {
  const { project } = useSession();
  return (
    <Menu up label={<NavMenuLabel icon="settings" label="Settings" />}>
      {routesIn('Settings').map((route) => (
        <Link
          key={route.name}
          to={pathTo(route.name, { project: project.id }) ?? '/'}
          aria-current={currentOf(route, path)}
        >
          {route.nav && <Icon name={route.nav.icon} />}
          {route.nav?.label}
        </Link>
      ))}
    </Menu>
  );
}

export const HelpMenu = () => (
  <Menu up label={<NavMenuLabel icon="help" label="Help" />}>
    <Link to={pathTo('help') ?? '/'}>
      <Icon name="book" />
      Guides
    </Link>
    <Link to={pathTo('docs') ?? '/'}>
      <Icon name="code" />
      API reference
    </Link>
  </Menu>
);
