/**
 * The console is in English, so words come in English, while the order of dates, the clock and the separators of numbers
 * follow the browser's region: a browser set to de-DE gets en-DE.
 */
export function localeFor(language: string): string {
  try {
    const { region } = new Intl.Locale(language).maximize();
    return region ? `en-${region}` : 'en';
  } catch {
    return 'en';
  }
}

export const LOCALE = localeFor(typeof navigator === 'undefined' ? 'en' : navigator.language);
