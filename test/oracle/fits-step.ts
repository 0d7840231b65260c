import type { ActionStep } from '../../src/core/actions/entity.ts';
import { propertyText } from '../../src/core/events/hot-properties.ts';
import type { PatternSearch } from '../../src/core/filters/compile-pattern.ts';
import type { Properties } from '../../src/core/filters/matches.ts';
import type { Filter } from '../../src/core/filters/property-filter.ts';

/** Whether an event matches a step of an action; `holds` evaluates its filter. */
export function fitsStep(
  { event, url, urlMatching, filter }: ActionStep,
  given: { event: string; properties: Properties },
  search: PatternSearch,
  holds: (filter: Filter) => boolean,
): boolean {
  if (event !== null && event !== given.event) return false;
  return (url === null || fitsUrl(given.properties, url, urlMatching, search)) && holds(filter);
}

function fitsUrl(
  properties: Properties,
  url: string,
  matching: ActionStep['urlMatching'],
  search: PatternSearch,
): boolean {
  const at = propertyText(properties['$current_url']) ?? '';
  if (matching === 'regex') return search(url, at) === true;
  return matching === 'exact' ? at === url : at.includes(url);
}
