import { startOfInterval } from '../../src/core/time/interval.ts';
import { type Tick, tickIndex, tickNames, ticksOf } from '../../src/core/time/ticks.ts';
import type { LifecycleItem } from '../../src/features/insights/rules/answers.ts';
import {
  LIFECYCLE_STATUSES,
  type LifecyclePeopleQuestion,
  type LifecycleQuestion,
  type LifecycleStatus,
} from '../../src/features/insights/rules/question.ts';
import { compareText, sum } from '../../src/features/insights/rules/statistics.ts';
import { distinct } from './measure.ts';
import type { World } from './world.ts';

/** The status of a person in the interval that starts at a time. */
interface PersonStatus {
  person: string;
  status: LifecycleStatus;
  at: number;
}

export function answerLifecycle(question: LifecycleQuestion, world: World): LifecycleItem[] {
  const { entity, interval, timezone } = question;
  if (entity === null) return [];
  const shown = ticksIn(question);
  const names = tickNames(
    shown.map(({ start }) => start),
    interval,
    timezone,
  );
  const stages = statusesOf(question, world);
  return LIFECYCLE_STATUSES.map((status) => {
    const counts = shown.map(
      ({ start }) => stages.filter((stage) => stage.status === status && stage.at === start).length,
    );
    const data = counts.map((count) => (status === 'dormant' && count > 0 ? -count : count));
    return {
      status,
      label: `${entity.name} - ${status}`,
      data,
      count: sum(data),
      days: names.map(({ day }) => day),
      labels: names.map(({ label }) => label),
    };
  });
}

const ticksIn = ({ range, interval, timezone }: LifecycleQuestion): Tick[] =>
  ticksOf(range, interval, timezone, 'monday');

function statusesOf(question: LifecycleQuestion, world: World): PersonStatus[] {
  const { entity, interval, timezone, filter, range } = question;
  const shown = ticksIn(question);
  // One more interval before the first shows who was active already.
  const before = startOfInterval((shown[0]?.start ?? range.from) - 1, interval, timezone, 'monday');
  // Complete intervals, even if the range ends in the last one.
  const until = shown.at(-1)?.end ?? range.until;
  const ticks = ticksOf({ from: before, until }, interval, timezone, 'monday');
  const events = world.events.filter(
    (event) =>
      event.timestamp >= before &&
      event.timestamp < until &&
      entity !== null &&
      world.isOf(event, entity) &&
      world.holds(event, filter),
  );
  return distinct(events.map(({ personId }) => personId)).flatMap((person) => {
    const active = new Set(
      events.filter((event) => event.personId === person).map((event) => tickIndex(ticks, event.timestamp)),
    );
    const created = tickIndex(ticks, world.person(person)?.createdAt ?? 0);
    return ticks.flatMap(({ start }, at): PersonStatus[] => {
      const status = statusAt(active, at, created);
      return at === 0 || status === null ? [] : [{ person, status, at: start }];
    });
  });
}

/** New in the interval in which they were created, if they had not been active before it. */
function statusAt(active: ReadonlySet<number>, at: number, created: number): LifecycleStatus | null {
  if (!active.has(at)) return active.has(at - 1) ? 'dormant' : null;
  if (created === at && at === Math.min(...active)) return 'new';
  return active.has(at - 1) ? 'returning' : 'resurrecting';
}

export function lifecyclePeople({ lifecycle, target, status }: LifecyclePeopleQuestion, world: World): string[] {
  const at = startOfInterval(target, lifecycle.interval, lifecycle.timezone, 'monday');
  const stages = statusesOf(lifecycle, world).filter((stage) => stage.at === at && stage.status === status);
  return stages.map(({ person }) => person).sort(compareText);
}
