/** Flags that depend on flags. */
import { conditionsOf, type Filters, type Property, propertiesOf } from './filters.ts';

interface KnownFlag {
  id: number;
  key: string;
  active: boolean;
  filters: Filters;
}

const isOnFlag = ({ type, key }: Property): boolean => type === 'flag' && String(key ?? '') !== '';

/** Each flag that the conditions look at, once. */
export const prerequisitesOf = (filters: Filters): number[] => [
  ...new Set(
    conditionsOf(filters)
      .flatMap(propertiesOf)
      .filter(isOnFlag)
      .map(({ key }) => Number(key)),
  ),
];

export const dependentsOf = <F extends KnownFlag>(id: number, flags: readonly F[]): F[] =>
  flags.filter((flag) => flag.id !== id && prerequisitesOf(flag.filters).includes(id));

/** Keys on the way from one flag to another, both included; null if there is none. */
function wayTo(target: number, from: KnownFlag, flags: readonly KnownFlag[], seen: Set<number>): string[] | null {
  if (from.id === target) return [from.key];
  seen.add(from.id);
  for (const id of prerequisitesOf(from.filters)) {
    const next = flags.find((flag) => flag.id === id);
    const rest = next && !seen.has(id) ? wayTo(target, next, flags, seen) : null;
    if (rest) return [from.key, ...rest];
  }
  return null;
}

/** Why a flag cannot look at this one; null if it can. `flagId` null: a new flag, which nothing depends on. */
export function prerequisiteProblem(key: string, flagId: number | null, flags: readonly KnownFlag[]): string | null {
  if (key === '') return null;
  const wanted = flags.find(({ id }) => String(id) === key);
  if (!wanted) return 'This flag was deleted. Select another one, or remove the filter.';
  if (!wanted.active) return `${wanted.key} is disabled. Enable it first, or select another flag.`;
  const way = flagId === null ? null : wayTo(flagId, wanted, flags, new Set());
  if (way === null) return null;
  const [own = ''] = way.slice(-1);
  return `That would be a circle: ${[own, ...way].join(' → ')}. Select a flag that does not depend on ${own}.`;
}
