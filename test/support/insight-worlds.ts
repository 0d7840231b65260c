/** Random small worlds for property tests of insights: around changes of the clocks, in zones of all kinds. */
import fc from 'fast-check';
import { elementsChain } from '../../src/core/events/elements-chain.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { WorldData, WorldEvent, WorldPerson } from '../oracle/world.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'US/Pacific',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'Africa/Cairo',
] as const;

export const aZone = fc.constantFrom(...ZONES);

/** Moments at which the clocks of some of these zones were changed, and one at which none were. */
const MOMENTS = ['2024-03-10', '2024-03-31', '2024-10-27', '2018-11-04', '2011-12-30', '2024-06-12'].map((day) =>
  Date.parse(`${day}T12:00:00Z`),
);

const HOUR = 3_600_000;
const EVENTS = ['visit', 'sign up', 'pay', '$pageview'] as const;

export interface RandomWorld {
  timezone: string;
  /** Twelve days after the first possible event, and after all but a few. */
  now: number;
  data: WorldData;
}

const uuidOf = (kind: string, index: number): string =>
  `00000000-0000-4000-8${kind}00-${String(index).padStart(12, '0')}`;

interface RawEvent {
  who: number;
  event: string;
  minutes: number;
  plan: string | null;
  amount: number | null;
  group: string | null;
  hasSession: boolean;
}

const anEvent: fc.Arbitrary<RawEvent> = fc.record({
  who: fc.nat(5),
  event: fc.constantFrom(...EVENTS),
  // Often on the hour, where intervals meet.
  minutes: fc.oneof(
    fc.integer({ min: 0, max: 12 * 24 * 60 }),
    fc.integer({ min: 0, max: 12 * 24 }).map((hour) => hour * 60),
  ),
  plan: fc.constantFrom(null, 'free', 'pro', ''),
  amount: fc.option(fc.integer({ min: -3, max: 20 })),
  group: fc.constantFrom(null, 'acme', 'initech'),
  hasSession: fc.boolean(),
});

/** Four persons, one of them with two distinct ids; the sixth distinct id belongs to nobody. */
const OWNERS = [0, 0, 1, 2, 3, null] as const;

export const aWorld: fc.Arbitrary<RandomWorld> = fc
  .record({
    timezone: aZone,
    moment: fc.constantFrom(...MOMENTS),
    events: fc.array(anEvent, { maxLength: 40 }),
    created: fc.array(fc.integer({ min: -48, max: 12 * 24 }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ timezone, moment, events, created }) => {
    const start = moment - 6 * 24 * HOUR;
    const persons = created.map((hours, index): WorldPerson => personOf(index, start + hours * HOUR));
    return { timezone, now: start + 12 * 24 * HOUR, data: worldData(events, persons, start) };
  });

const personOf = (index: number, createdAt: number): WorldPerson => ({
  id: index + 1,
  uuid: uuidOf('a', index + 1),
  createdAt,
  properties: { plan: index % 2 === 0 ? 'free' : 'pro', email: `p${index}@example.com` },
  distinctIds: OWNERS.flatMap((owner, id) => (owner === index ? [`d${id}`] : [])),
});

function worldData(raws: readonly RawEvent[], persons: readonly WorldPerson[], start: number): WorldData {
  const events = raws.map((raw, index): WorldEvent => {
    const owner = OWNERS[raw.who] ?? null;
    return {
      uuid: uuidOf('b', index),
      event: raw.event,
      distinctId: `d${raw.who}`,
      personId: owner === null ? null : (persons[owner]?.uuid ?? null),
      timestamp: start + raw.minutes * 60_000,
      properties: propertiesOf(raw),
      groups: [raw.group, null, null, null, null],
      elementsChain: raw.event === 'pay' ? elementsChain([buttonOf(raw), { tag_name: 'form' }]) : '',
    };
  });
  const groups = ['acme', 'initech'].map((key) => ({ index: 0, key, properties: { size: key.length } }));
  const cohorts = new Map([[1, new Set(persons.filter(({ id }) => id > 2).map(({ uuid }) => uuid))]]);
  return { events, persons, groups, cohorts };
}

const buttonOf = ({ plan }: RawEvent): JsonObject => ({
  tag_name: 'button',
  attr__class: 'buy md:flex w-1/2',
  'attr__data-x': 'a > "b"',
  $el_text: `Buy ${plan}`,
});

const propertiesOf = ({
  who,
  event,
  minutes,
  plan,
  amount,
  group,
  hasSession,
}: RawEvent): WorldEvent['properties'] => ({
  ...(plan === null ? {} : { plan }),
  ...(amount === null ? {} : { amount }),
  ...(group === null ? {} : { $group_0: group }),
  // Nobody's session lasts for more than half a day.
  ...(hasSession ? { $session_id: `${who}-${Math.floor(minutes / 720)}` } : {}),
  ...(event === '$pageview' ? { $current_url: `/${plan ?? 'home'}/` } : {}),
});
