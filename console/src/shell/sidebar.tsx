import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Link } from '../components/link.tsx';
import { classes } from '../lib/classes.ts';
import { useLocation } from '../lib/router.ts';
import { Logo } from './logo.tsx';
import { HelpMenu, Navigation, SettingsMenu } from './navigation.tsx';
import { ProjectMenu } from './project-menu.tsx';
import { SearchButton } from './search/search-button.tsx';
import { useRail } from './use-rail.ts';
import { UserMenu } from './user-menu.tsx';

/** A column that can be collapsed to a rail of icons; on phones a bar at the top that opens. */
export function Sidebar() {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isRail, toggleRail] = useRail();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after navigation
  useEffect(() => setOpen(false), [path]);
  return (
    <header class={classes('sidebar', isOpen && 'is-open', isRail && 'is-rail')}>
      <Link class="brand" to="/">
        <Logo />
        <span class="nav-label">Cairn</span>
      </Link>
      <span class="sidebar-toggle">
        <Button small aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          Menu
        </Button>
      </span>
      <ProjectMenu />
      <SearchButton />
      <Navigation path={path} isRail={isRail} />
      <div class="foot">
        <SettingsMenu path={path} />
        <HelpMenu />
        <UserMenu />
        <button type="button" class="nav-item rail-toggle" aria-expanded={!isRail} onClick={toggleRail}>
          <Icon name="panel" />
          <span class="nav-label">{isRail ? 'Expand navigation' : 'Collapse'}</span>
        </button>
      </div>
    </header>
  );
}
