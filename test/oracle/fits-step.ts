import type { ActionStep } from '../../src/core/actions/entity.ts';
import type { Filter } from '../../src/core/filters/property-filter.ts';
import type { Search } from './filters.ts';
import { type Properties, textOf } from './property-values.ts';

/** Whether an event matches a step of an action; `holds` evaluates its filter. */
export function fitsStep(
  { event, url, urlMatching, filter }: ActionStep,
  given: { event: string; properties: Properties },
  search: Search,
  holds: (filter: Filter) => boolean,
): boolean {
  if (event !== null && event !== given.event) return false;
  if (url === null) return holds(filter);
  const address = given.properties['$current_url'] ?? null;
  const at = address === null ? '' : textOf(address);
  if (urlMatching === 'exact' && at !== url) return false;
  if (urlMatching === 'regex' && search(url, at) !== true) return false;
  if (urlMatching === 'contains' && !isLike(Array.from(`%${url}%`), Array.from(at))) return false;
  return holds(filter);
}

/** SQL's LIKE: `%` is any text, `_` any character, after `\` they are themselves. */
function isLike([first, ...pattern]: readonly string[], text: readonly string[]): boolean {
  if (first === undefined) return text.length === 0;
  if (first === '%') return isLike(pattern, text) || (text.length > 0 && isLike([first, ...pattern], text.slice(1)));
  if (text.length === 0) return false;
  if (first === '\\' && ['%', '_', '\\'].includes(pattern[0] ?? '') && pattern.length > 1) {
    return text[0] === pattern[0] && isLike(pattern.slice(1), text.slice(1));
  }
  return (first === '_' || first === text[0]) && isLike(pattern, text.slice(1));
}
