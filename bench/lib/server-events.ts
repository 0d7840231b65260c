/** Events as a server SDK sends them in batches: a few properties, 350 bytes. Made up. */
import { pick } from '../../src/features/demo/rules/seeded-random.ts';

const NAMES = [
  'order placed',
  'order placed',
  'invoice paid',
  'report opened',
  'member invited',
  'api called',
  'api called',
];

export function serverEvent(random: () => number, person: number, uuid: string, timestamp: string): object {
  return {
    uuid,
    event: pick(random, NAMES),
    distinct_id: `person-${String(person).padStart(8, '0')}`,
    timestamp,
    properties: {
      $lib: 'posthog-node',
      $lib_version: '5.0.0',
      $geoip_disable: true,
      plan: pick(random, ['free', 'team', 'business']),
      amount: Math.floor(random() * 10_000) / 100,
      items: Math.floor(random() * 10),
      region: pick(random, ['eu', 'us', 'apac']),
    },
  };
}
