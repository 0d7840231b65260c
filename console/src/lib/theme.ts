/** Light, dark or the system's setting; stored in the browser. */
import { readStored, writeStored } from './stored.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'cairn-theme';

export function readTheme(): Theme {
  const stored = readStored(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  writeStored(KEY, theme);
}

/** For this page alone. */
export function showTheme(theme: Theme): void {
  if (theme !== 'system') document.documentElement.dataset['theme'] = theme;
}
