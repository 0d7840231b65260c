import { useState } from 'preact/hooks';
import { signOut } from '../api/accounts.ts';
import { Link } from '../components/link.tsx';
import { Menu } from '../components/menu.tsx';
import { toastError } from '../components/toast.tsx';
import { pathTo } from '../lib/route-table.ts';
import { useSession } from '../lib/session.ts';
import { applyTheme, readTheme, type Theme } from '../lib/theme.ts';
import { Initial } from './initial.tsx';

export function UserMenu() {
  const { me } = useSession();
  const account = pathTo('account');
  const name = me.first_name || me.email;
  const leave = (): void => {
    signOut().then((to) => location.assign(to), toastError);
  };
  return (
    <Menu
      up
      label={
        <span class="nav-item" title={name}>
          <Initial of={name} />
          <span class="nav-label truncate">{name}</span>
        </span>
      }
    >
      <ThemeChoice />
      {account && <Link to={account}>Account settings</Link>}
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
  const choose = (event: Event, next: Theme): void => {
    // The menu stays open, to try another.
    event.stopPropagation();
    applyTheme(next);
    setTheme(next);
  };
  return (
    <fieldset class="themes">
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map(({ value, label }) => (
        <button type="button" key={value} aria-pressed={value === theme} onClick={(event) => choose(event, value)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
