import type { JsonObject } from '../json/json.ts';

/** Whether a browser sent the event from a page: only then is the user agent a visitor's, not that of a server or an app. */
export function isPageEvent(properties: JsonObject): boolean {
  if (properties['$current_url'] === undefined && properties['$pathname'] === undefined) return false;
  const { $lib: lib } = properties;
  if (lib === undefined || lib === null) return true;
  return typeof lib === 'string' && (lib === 'web' || lib === 'js' || lib.startsWith('posthog-js'));
}
