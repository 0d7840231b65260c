import type { LifecycleItem } from '../../src/features/insights/rules/answers.ts';
import type {
  LifecyclePeopleQuestion,
  LifecycleQuestion,
  LifecycleStatus,
} from '../../src/features/insights/rules/question.ts';
import { distinct } from './measure.ts';
import { total } from './statistics.ts';
import { nameOfSlot, type Slot, slotAt, slotsOf, startOf } from './time.ts';
import type { World } from './world.ts';

const STATUSES: readonly LifecycleStatus[] = ['new', 'returning', 'resurrecting', 'dormant'];

/** The status of a person in the interval that starts at a time. */
interface PersonStatus {
  person: string;
  status: LifecycleStatus;
  at: number;
}

export function answerLifecycle(question: LifecycleQuestion, world: World): LifecycleItem[] {
  const { entity, interval, timezone } = question;
  if (entity === null) return [];
  const shown = slotsIn(question);
  const names = shown.map(({ start }) => nameOfSlot(start, interval, timezone));
  const stages = statusesOf(question, world);
  return STATUSES.map((status) => {
    const counts = shown.map(
      ({ start }) => stages.filter((stage) => stage.status === status && stage.at === start).length,
    );
    const data = counts.map((count) => (status === 'dormant' && count > 0 ? -count : count));
    return {
      status,
      label: `${entity.name} - ${status}`,
      data,
      count: total(data),
      days: names.map(({ day }) => day),
      labels: names.map(({ label }) => label),
    };
  });
}

const slotsIn = ({ range, interval, timezone }: LifecycleQuestion): Slot[] =>
  slotsOf(range, interval, timezone, 'monday');

function statusesOf(question: LifecycleQuestion, world: World): PersonStatus[] {
  const { entity, interval, timezone, filter, range } = question;
  const shown = slotsIn(question);
  // One more interval before the first shows who was active already.
  const before = startOf((shown[0]?.start ?? range.from) - 1, interval, timezone, 'monday');
  // Complete intervals, even if the range ends in the last one.
  const until = shown.at(-1)?.end ?? range.until;
  const slots = slotsOf({ from: before, until }, interval, timezone, 'monday');
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
      events.filter((event) => event.personId === person).map((event) => slotAt(slots, event.timestamp)),
    );
    const created = slotAt(slots, world.person(person)?.createdAt ?? 0);
    return slots.flatMap(({ start }, at): PersonStatus[] => {
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
  const at = startOf(target, lifecycle.interval, lifecycle.timezone, 'monday');
  const stages = statusesOf(lifecycle, world).filter((stage) => stage.at === at && stage.status === status);
  return stages.map(({ person }) => person).sort();
}
