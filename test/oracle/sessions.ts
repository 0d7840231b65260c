/** The properties of sessions, from the events of each. */
import type { Range } from '../../src/core/time/range.ts';
import { isView, pathOf, sessionOf, text, textsOf } from './page-events.ts';
import type { Properties } from './property-values.ts';
import { DAY } from './time.ts';
import type { WorldEvent } from './world.ts';

/** What recorded cases test by themselves: what a first view says about where the session came from. */
export interface SessionRules {
  channel(view: Record<string, string>): string;
  referrer(view: Record<string, string>): string;
  tag(view: Record<string, string>, key: string): string;
}

const TAGS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];

/** Session id → properties, of the events within a day of the range, which are in order. */
export function sessionProperties(
  events: readonly WorldEvent[],
  range: Range,
  rules: SessionRules,
): ReadonlyMap<string, Properties> {
  const sessions = new Map<string, WorldEvent[]>();
  for (const event of events) {
    const id = sessionOf(event);
    if (id === null || event.timestamp < range.from - DAY || event.timestamp >= range.until + DAY) continue;
    sessions.set(id, [...(sessions.get(id) ?? []), event]);
  }
  return new Map([...sessions].map(([id, own]) => [id, propertiesOf(own, rules)]));
}

function propertiesOf(events: readonly WorldEvent[], rules: SessionRules): Properties {
  const views = events.filter(isView);
  const [first, last] = [views[0], views.at(-1)];
  const seconds = Math.floor(((events.at(-1)?.timestamp ?? 0) - (events[0]?.timestamp ?? 0)) / 1000);
  const count = (name: string): number => events.filter(({ event }) => event === name).length;
  const said = first === undefined ? {} : textsOf(first);
  const texts = {
    // A session without a view says nothing, as a visit by a link that nobody tagged.
    $channel_type: rules.channel(said),
    $entry_current_url: first && text(first, '$current_url'),
    $entry_pathname: first && pathOf(first),
    $entry_hostname: first && text(first, '$host'),
    $end_current_url: last && text(last, '$current_url'),
    $end_pathname: last && pathOf(last),
    $end_hostname: last && text(last, '$host'),
    $entry_referring_domain: rules.referrer(said),
    ...Object.fromEntries(TAGS.map((key) => [`$entry_${key}`, rules.tag(said, key)])),
  };
  return {
    $session_duration: seconds,
    $is_bounce: views.length + count('$autocapture') <= 1 && seconds < 10,
    $pageview_count: count('$pageview'),
    $screen_count: count('$screen'),
    $autocapture_count: count('$autocapture'),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined && value !== '')),
  };
}
