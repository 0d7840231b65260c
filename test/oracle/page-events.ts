/** What the events of a site say: which are page views, of which page, in which session. */
import { textOf } from './property-values.ts';
import type { WorldEvent } from './world.ts';

const NO_IDS = ['undefined', 'null', '0', 'false', 'nan', ''];

/** The text of a property; empty where it is absent or null. */
export const text = (event: WorldEvent, key: string): string => {
  const value = event.properties[key];
  return value === undefined || value === null ? '' : textOf(value);
};

export const isView = ({ event }: WorldEvent): boolean => event === '$pageview' || event === '$screen';

/** The session that an event says it is of; null without one. */
export function sessionOf(event: WorldEvent): string | null {
  const value = event.properties['$session_id'];
  if (typeof value === 'object' || value === undefined) return null;
  const id = textOf(value);
  return id.length > 200 || NO_IDS.includes(id.toLowerCase()) ? null : id;
}

/** The page of a view; empty where it says none. */
export function pathOf(event: WorldEvent): string {
  if (event.event === '$screen') return text(event, '$screen_name');
  if (text(event, '$pathname') !== '') return text(event, '$pathname');
  const found = /^https?:\/\/[^/?#]*([^?#]*)/.exec(text(event, '$current_url'));
  return found === null ? '' : found[1] || '/';
}

/** All properties as texts. */
export const textsOf = (event: WorldEvent): Record<string, string> =>
  Object.fromEntries(Object.keys(event.properties).map((key) => [key, text(event, key)]));
