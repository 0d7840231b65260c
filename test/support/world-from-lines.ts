/** Small data sets from lines such as `ann visit 05-01 10:00 plan=pro`, in May 2024, UTC. */
import type { Json } from '../../src/core/json/json.ts';
import type { QuestionContext } from '../../src/features/insights/rules/question.ts';
import { World, type WorldData, type WorldEvent, type WorldPerson } from '../oracle/world.ts';
import { tools } from './oracle-answers.ts';

const NOW = Date.parse('2024-05-31T12:00:00Z');
export const at = (text: string): number => Date.parse(`2024-${text.replace(' ', 'T')}:00Z`);

export const context = (over: Partial<QuestionContext> = {}): QuestionContext => ({
  now: NOW,
  timezone: 'UTC',
  ...over,
});

/** Names stand for the uuids of persons; `nobody` has none. */
export function worldFromLines(lines: string, over: Partial<WorldData> = {}): World {
  const events = lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(eventOf);
  const names = [...new Set(events.flatMap(({ personId }) => personId ?? []))];
  const persons = names.map((uuid, index): WorldPerson => {
    const first = events.find(({ personId }) => personId === uuid);
    return { id: index + 1, uuid, createdAt: first?.timestamp ?? 0, properties: {}, distinctIds: [uuid] };
  });
  return new World({ events, persons, ...over }, tools);
}

function eventOf(line: string, index: number): WorldEvent {
  const [who = '', event = '', day = '', time = '', ...rest] = line.split(/\s+/);
  const properties = Object.fromEntries(rest.map((pair) => pair.split('=') as [string, Json]));
  return {
    uuid: String(index).padStart(6, '0'),
    event: event.replaceAll('_', ' '),
    distinctId: who,
    personId: who === 'nobody' ? null : who,
    timestamp: at(`${day} ${time}`),
    properties,
    groups: [(properties['$group_0'] as string | undefined) ?? null],
  };
}
