/** How a shared page looks, and which sites may show it. PostHog's names where it has them. */
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';

export type SharedKind = 'insight' | 'dashboard' | 'web';

export const THEMES = ['system', 'light', 'dark'] as const;

export interface ShareSettings {
  /** Without name, description and logo. */
  noHeader: boolean;
  showInspector: boolean;
  legend: boolean;
  /** With the table of numbers below a chart. */
  detailed: boolean;
  theme: (typeof THEMES)[number];
  /** Without descriptions, dates and when it was computed. */
  hideExtraDetails: boolean;
  /** Visitors may choose other dates from a list. */
  allowDates: boolean;
  /** Visitors of a site's overview may filter it further. */
  allowFilters: boolean;
  showAnnotations: boolean;
}

const DEFAULTS: ShareSettings = {
  noHeader: false,
  showInspector: false,
  legend: true,
  detailed: false,
  theme: 'system',
  hideExtraDetails: false,
  allowDates: false,
  allowFilters: false,
  showAnnotations: false,
};

/** What was stored, with defaults for the rest. */
export function readShareSettings(stored: JsonObject): ShareSettings {
  const flag = (name: Exclude<keyof ShareSettings, 'theme'>): boolean =>
    typeof stored[name] === 'boolean' ? stored[name] : DEFAULTS[name];
  return {
    noHeader: flag('noHeader'),
    showInspector: flag('showInspector'),
    legend: flag('legend'),
    detailed: flag('detailed'),
    theme: THEMES.find((theme) => theme === stored['theme']) ?? DEFAULTS.theme,
    hideExtraDetails: flag('hideExtraDetails'),
    allowDates: flag('allowDates'),
    allowFilters: flag('allowFilters'),
    showAnnotations: flag('showAnnotations'),
  };
}

const MAX_ORIGINS = 50;
/** `https://example.org`, `https://*.example.org`, `http://localhost:3000`: all of it is safe in a header. */
const ORIGIN = /^https?:\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::\d{1,5})?$/;

export function readOrigins(given: readonly string[]): string[] {
  const origins = [...new Set(given.map((origin) => origin.trim().toLowerCase().replace(/\/$/, '')))];
  if (origins.length > MAX_ORIGINS) throw invalid('allowed_origins', `There may be at most ${MAX_ORIGINS} origins.`);
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong === undefined) return origins;
  throw invalid(
    'allowed_origins',
    `${JSON.stringify(wrong.slice(0, 100))} is no origin: send scheme and host, such as https://example.org.`,
  );
}

/** For the header that says who may show the page in a frame. */
export const frameAncestors = (origins: readonly string[]): string => (origins.length === 0 ? '*' : origins.join(' '));

/** The dates that visitors can choose: a fixed list, so that nobody can have endless questions computed. */
export const SHARED_DATES = ['-7d', '-14d', '-30d', '-90d', '-180d', 'mStart', 'yStart'] as const;

const MAX_GRACE_MINUTES = 5;

export function readGraceMinutes(text: string | undefined): number {
  const minutes = text === undefined || text === '' ? 0 : Number(text);
  if (Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_GRACE_MINUTES) return minutes;
  throw invalid('grace_minutes', `grace_minutes is a whole number from 0 to ${MAX_GRACE_MINUTES}.`);
}
