import type { Breakdown, BreakdownSelection, PropertyBreakdown } from '../../src/core/actions/breakdown.ts';
import type { Range } from '../../src/core/time/range.ts';
import type { BreakdownValue } from '../../src/features/insights/rules/answers.ts';
import { sessionOf } from './page-events.ts';
import { numberOf, type Properties, textIn } from './property-values.ts';
import { valueBins } from './statistics.ts';
import type { World, WorldEvent } from './world.ts';

/** One value of a breakdown and which events have it. */
interface BreakdownPart {
  value: BreakdownValue;
  has(event: WorldEvent): boolean;
}

/** The property as text, empty where it is missing; undefined where the event has no owner. */
export function breakdownText(
  world: World,
  breakdown: PropertyBreakdown,
  range: Range,
): (event: WorldEvent, key: string) => string | undefined {
  const sessions = breakdown.owner === 'session' ? world.sessions(range) : undefined;
  return (event, key) => {
    const properties = sessions ? sessions.get(sessionOf(event) ?? '') : ownerOf(world, breakdown, event);
    if (properties === undefined) return undefined;
    const text = textIn(properties, key);
    return breakdown.isUrl ? normaliseUrl(text) : text;
  };
}

/** Addresses of the same page are one: without trailing `/`, `?` and `#`. */
const normaliseUrl = (url: string): string => url.replace(/[/?#]+$/, '') || '/';

function ownerOf(world: World, { owner, groupIndex }: PropertyBreakdown, event: WorldEvent): Properties | undefined {
  if (owner === 'person') return world.person(event.personId)?.properties;
  return owner === 'group' ? world.groupProperties(event, groupIndex ?? 0) : event.properties;
}

/** The values that a breakdown shows, those with the largest `rank` first. */
export function partsOf(
  world: World,
  breakdown: Breakdown,
  range: Range,
  events: readonly WorldEvent[],
  rank: (events: readonly WorldEvent[]) => number,
): BreakdownPart[] {
  if (breakdown.kind === 'cohort') {
    return breakdown.cohorts.map((cohort) => ({
      value: { value: cohort.id, label: cohort.name },
      has: (event) => world.isMember(event.personId, cohort.id),
    }));
  }
  const text = breakdownText(world, breakdown, range);
  const read = (event: WorldEvent): string | undefined => text(event, breakdown.keys[0] ?? '');
  if (breakdown.bins !== null) return binParts(breakdown.bins, events, read);
  const groups = new Map<string, WorldEvent[]>();
  for (const event of events) {
    const value = read(event);
    if (value !== undefined) groups.set(value, [...(groups.get(value) ?? []), event]);
  }
  return [...groups]
    .map(([value, own]) => ({ value, size: rank(own) }))
    .sort((a, b) => b.size - a.size || (a.value < b.value ? 1 : -1))
    .slice(breakdown.offset, breakdown.offset + breakdown.limit)
    .map(({ value }) => ({ value: shown(breakdown, value), has: (event: WorldEvent) => read(event) === value }))
    .sort((a, b) => (isNumeric(breakdown) ? Number(a.value.value) - Number(b.value.value) : 0));
}

const NUMERIC = ['$session_duration', '$pageview_count', '$screen_count', '$autocapture_count'];

/** Whether values are numbers of sessions. */
export const isNumeric = ({ owner, keys: [key = ''] }: PropertyBreakdown): boolean =>
  owner === 'session' && NUMERIC.includes(key);

const shown = (breakdown: PropertyBreakdown, value: string): BreakdownValue =>
  isNumeric(breakdown) ? { value: Number(value), label: value } : { value, label: value === '' ? 'none' : value };

type Read = (event: WorldEvent) => string | undefined;

const numberIn = (read: Read, event: WorldEvent): number | null => numberOf(read(event) ?? '');

function binParts(count: number, events: readonly WorldEvent[], read: Read): BreakdownPart[] {
  const numbers = events.flatMap((event) => numberIn(read, event) ?? []);
  return valueBins(numbers, count).map((bin) => {
    const name = `[${[bin.from, bin.until].map((bound) => (Number.isInteger(bound) ? `${bound}.0` : bound))}]`;
    return { value: { value: name, label: name }, has: isIn(read, bin) };
  });
}

const isIn =
  (read: Read, bin: { from: number; until: number }) =>
  (event: WorldEvent): boolean => {
    const number = numberIn(read, event);
    return number !== null && number >= bin.from && number < bin.until;
  };

/** Whether an event has the selected value. */
export function isInSlice(world: World, selection: BreakdownSelection, range: Range): (event: WorldEvent) => boolean {
  if (selection.kind === 'cohort') return (event) => world.isMember(event.personId, selection.id);
  const text = breakdownText(world, selection.breakdown, range);
  const read = (event: WorldEvent): string | undefined => text(event, selection.breakdown.keys[0] ?? '');
  return selection.kind === 'bin' ? isIn(read, selection) : (event) => read(event) === selection.value;
}
