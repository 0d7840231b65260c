/** Light, dark, or as the system has it. Kept by the browser. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'cairn-theme';

export function readTheme(): Theme {
  const kept = recall(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  keep(KEY, theme);
}

/** A browser that keeps nothing, as in some private windows, is no reason to fail. */
function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds until the page is left.
  }
}
