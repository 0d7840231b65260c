/** Slots: the minutes, hours, days, weeks or months of a project's time zone, each of which an alert checks once. */
import { type Interval, nextIntervalStart, startOfInterval } from '../time/interval.ts';
import { type Tick, ticksOf } from '../time/ticks.ts';
import { DAY_MS } from '../time/units.ts';
import { nextTransition, zoned } from '../time/zoned.ts';

export const CALCULATION_INTERVALS = ['every_minute', 'hourly', 'daily', 'weekly', 'monthly'] as const;
export type CalculationInterval = (typeof CALCULATION_INTERVALS)[number];

const UNITS: Record<CalculationInterval, Interval> = {
  every_minute: 'minute',
  hourly: 'hour',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};

export const slotUnit = (interval: CalculationInterval): Interval => UNITS[interval];

/** From `start` up to, not including, `end`. It is named by its start. */
export type Slot = Tick;

/** The slot that contains this instant. */
export function slotAt(at: number, unit: Interval, timezone: string): Slot {
  const start = startOfInterval(at, unit, timezone);
  return { start, end: nextIntervalStart(start, unit, timezone) };
}

/** The last one that is over. */
export function lastWholeSlot(now: number, unit: Interval, timezone: string, skipsWeekends = false): Slot {
  let slot = slotAt(startOfInterval(now, unit, timezone) - 1, unit, timezone);
  while (skipsWeekends && isWeekend(slot, unit, timezone)) slot = slotAt(slot.start - 1, unit, timezone);
  return slot;
}

/** The first slot after this one that is checked. */
export function slotAfter({ end }: Slot, unit: Interval, timezone: string, skipsWeekends: boolean): Slot {
  let slot = slotAt(end, unit, timezone);
  while (skipsWeekends && isWeekend(slot, unit, timezone)) slot = slotAt(slot.end, unit, timezone);
  return slot;
}

/** How many slots are checked from one on, up to, not including, another. */
export const countSlots = (from: Slot, to: Slot, unit: Interval, timezone: string, skipsWeekends: boolean): number =>
  ticksOf({ from: from.start, until: to.start }, unit, timezone).filter(
    (slot) => !(skipsWeekends && isWeekend(slot, unit, timezone)),
  ).length;

/** Weeks and months contain days of work, so they are never skipped. */
export const isWeekend = ({ start }: Slot, unit: Interval, timezone: string): boolean =>
  unit !== 'week' && unit !== 'month' && zoned(start, timezone).dayOfWeek >= 6;

/** `2026-11-15T10:00Z` */
export const slotName = (start: number): string => `${new Date(start).toISOString().slice(0, 16)}Z`;

/** Slots one after the other, with the times that clocks showed: what is compared by the week is compared by those. */
export interface SlotHistory {
  unit: Interval;
  slots: readonly Slot[];
  /** What clocks showed at the start of each, as if it were UTC. */
  walls: readonly number[];
  /** The first slot of each of those times: as clocks go back, an hour comes twice. */
  indexByWall: ReadonlyMap<number, number>;
}

export function slotHistory(from: number, until: number, unit: Interval, timezone: string): SlotHistory {
  const slots = ticksOf({ from, until }, unit, timezone);
  const walls = wallTimes(slots, timezone);
  const indexByWall = new Map<number, number>();
  walls.forEach((wall, index) => {
    if (!indexByWall.has(wall)) indexByWall.set(wall, index);
  });
  return { unit, slots, walls, indexByWall };
}

function wallTimes(slots: readonly Slot[], timezone: string): number[] {
  let offset = 0;
  let transition = Number.NEGATIVE_INFINITY;
  return slots.map(({ start }) => {
    if (start >= transition) {
      offset = zoned(start, timezone).offsetNanoseconds / 1e6;
      transition = nextTransition(start, timezone);
    }
    return start + offset;
  });
}

/** The slot of the same time of day, some days earlier; undefined where clocks skipped it. */
export const indexDaysBefore = ({ walls, indexByWall }: SlotHistory, index: number, days: number): number | undefined =>
  indexByWall.get((walls[index] ?? 0) - days * DAY_MS);
