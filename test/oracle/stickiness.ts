import type { Range } from '../../src/core/time/range.ts';
import type { StickinessItem } from '../../src/features/insights/rules/answers.ts';
import type {
  Series,
  StickinessPeopleQuestion,
  StickinessQuestion,
} from '../../src/features/insights/rules/question.ts';
import { actorOfMath } from './measure.ts';
import { total } from './statistics.ts';
import { isWithin, slotAt, slotsOf } from './time.ts';
import type { World } from './world.ts';

export function answerStickiness(question: StickinessQuestion, world: World): StickinessItem[] {
  const { previous } = question;
  return question.series.flatMap((series, index) => {
    if (series.entity.kind === 'action' && !series.entity.isKnown) return [];
    const now = itemOf(question, world, index, question.range, previous === null ? null : 'current');
    return previous === null ? [now] : [now, itemOf(question, world, index, previous, 'previous')];
  });
}

function itemOf(
  question: StickinessQuestion,
  world: World,
  index: number,
  range: Range,
  period: StickinessItem['period'],
): StickinessItem {
  const { interval, timezone } = question;
  const series = question.series[index] as Series;
  const active = [...activityOf(question, world, series, range).values()];
  const days = slotsOf(range, interval, timezone).map((_, at) => at + 1);
  const data = days.map((day) => active.filter((intervals) => intervals === day).length);
  const labels = days.map((day, at) =>
    period === null ? `${day} ${interval}${day === 1 ? '' : 's'}` : `${interval} ${at}`,
  );
  return { series: index, label: series.entity.name, period, data, count: total(data), days, labels };
}

/** Actor → in how many intervals they were active. */
function activityOf(
  { filter, interval, timezone }: StickinessQuestion,
  world: World,
  series: Series,
  range: Range,
): Map<string, number> {
  const slots = slotsOf(range, interval, timezone);
  const active = new Map<string, Set<number>>();
  for (const event of world.events) {
    const actor = world.actorOf(event, actorOfMath(series.math));
    if (actor === null || !isWithin(event.timestamp, range)) continue;
    if (!world.isOf(event, series.entity) || !world.holds(event, filter)) continue;
    active.set(actor, (active.get(actor) ?? new Set()).add(slotAt(slots, event.timestamp)));
  }
  return new Map([...active].map(([actor, intervals]) => [actor, intervals.size]));
}

export function stickinessPeople({ stickiness, series, intervals }: StickinessPeopleQuestion, world: World): string[] {
  const activity = activityOf(stickiness, world, series, stickiness.range);
  return [...activity].flatMap(([actor, count]) => (count === intervals ? [actor] : [])).sort();
}
