/** Light, dark or the system's setting; stored in the browser. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'cairn-theme';

export function readTheme(): Theme {
  const stored = load(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  store(KEY, theme);
}

/** Private windows may have no storage. */
function load(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Lasts until the page is closed.
  }
}
