/**
 * How fast JSON is parsed with all digits of its whole numbers, compared with `JSON.parse`, which rounds them.
 *
 *   npm run bench:parse [-- --rounds 41]
 *
 * Both take turns, and the median CPU time is reported: compare the ratios. Ordinary bodies have no long number; the last
 * two have one, in one event of each body.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseJsonBytes } from '../src/core/json/parse-json.ts';
import { seeded } from '../src/features/demo/rules/seeded-random.ts';
import { browserEvent } from './lib/browser-events.ts';
import { machine } from './lib/machine.ts';
import { race } from './lib/race.ts';
import { serverEvent } from './lib/server-events.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '41' } } });
/** Parsed in one round: so much that every round has its share of garbage collection. */
const BYTES_PER_ROUND = 5_000_000;

const random = seeded(1);
const hex = (digits: number): string =>
  Math.floor(random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');
const uuid = (): string => `0190${hex(4)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
const browserEvents = Array.from({ length: 100 }, (_, n) =>
  browserEvent(random, n, uuid(), '2026-01-15T12:00:00.000Z'),
);
const serverEvents = Array.from({ length: 100 }, (_, n) => serverEvent(random, n, uuid(), '2026-01-15T12:00:00.000Z'));
const batchOf = (batch: readonly object[]): string => JSON.stringify({ api_key: 'phc_key', batch });
const withLongId = (text: string): string => text.replace(/"distinct_id":"[^"]*"/, '"distinct_id":1043520612345678901');

const BODIES: Record<string, string> = {
  'a browser event': JSON.stringify(browserEvents[0]),
  'a server event': JSON.stringify(serverEvents[0]),
  '100 browser events': batchOf(browserEvents),
  '100 server events': batchOf(serverEvents),
  'a request for flags': JSON.stringify({ token: 'phc_key', distinct_id: uuid(), person_properties: { plan: 'pro' } }),
  'a browser event with a long number': withLongId(JSON.stringify(browserEvents[0])),
  '100 browser events, one with a long number': withLongId(batchOf(browserEvents)),
};

async function measure(body: string): Promise<{ bytes: number; ours: number; native: number; ratio: number }> {
  const bytes = Buffer.from(body);
  const times = Math.ceil(BYTES_PER_ROUND / bytes.length);
  const repeat = (parse: (bytes: Buffer) => unknown) => () => {
    for (let i = 0; i < times; i++) parse(bytes);
  };
  const contenders = [
    { name: 'native', run: repeat((payload) => JSON.parse(payload.toString('utf8'))) },
    { name: 'ours', run: repeat(parseJsonBytes) },
  ];
  const found = await race(contenders, { rounds: Number(values.rounds), warmUp: 10 });
  const micros = (name: string): number => ((found.get(name) ?? 0) / times) * 1000;
  return {
    bytes: bytes.length,
    ours: micros('ours'),
    native: micros('native'),
    ratio: Number((micros('ours') / micros('native')).toFixed(3)),
  };
}

const measured: Record<string, unknown> = {};
for (const [name, body] of Object.entries(BODIES)) measured[name] = await measure(body);
const report = { machine: machine(), measured };
console.log(JSON.stringify(report, null, 2));
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/parse.json', `${JSON.stringify(report, null, 2)}\n`);
