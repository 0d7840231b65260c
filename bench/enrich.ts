/**
 * What ingestion adds to a page event, by CPU time and memory: the country of an address, browser, system, device and bot
 * of a user agent.
 *
 *   npm run bench:enrich [-- --rounds 41]
 *
 * Contenders take turns, and the median CPU time is reported: compare the ratios. Baselines: a binary search over all
 * ranges instead of the index, and the functions with which posthog-js reads a user agent.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { detectBrowser, detectBrowserVersion, detectDeviceType, detectOS } from '@posthog/core';
import { readBot } from '../src/core/user-agents/read-bot.ts';
import { readDevice } from '../src/core/user-agents/read-device.ts';
import { readUserAgent } from '../src/core/user-agents/read-user-agent.ts';
import { seeded } from '../src/features/demo/rules/seeded-random.ts';
import { readCountryFile } from '../src/features/geoip/country-table.ts';
import { Geoip } from '../src/features/geoip/geoip.ts';
import { openLog } from '../src/lib/log.ts';
import { machine } from './lib/machine.ts';
import { race } from './lib/race.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '41' } } });
// Relative to the root, where npm runs scripts.
const FILE = pathToFileURL('src/features/geoip/data/countries.br');
const ADDRESSES = 20_000;
const random = seeded(1);
const below = (limit: number): number => Math.floor(random() * limit);
const hex = (digits: number): string =>
  below(16 ** digits)
    .toString(16)
    .padStart(digits, '0');

const v4 = Array.from({ length: ADDRESSES }, () => Array.from({ length: 4 }, () => below(256)).join('.'));
const v6 = Array.from({ length: ADDRESSES }, () => `2${hex(3)}:${hex(4)}:${hex(4)}::1`);
const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];

/** Half of the table's memory is outside of V8's heap. */
const usedBytes = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

async function measureMemory(): Promise<{ geoip: Geoip; megabytes: number; loadMs: number }> {
  collect();
  const before = usedBytes();
  const start = performance.now();
  const geoip = await Geoip.open({
    shippedCountries: FILE,
    ownCountries: '/nonexistent/countries.br',
    cityFile: null,
    logger: openLog('silent'),
  });
  const loadMs = performance.now() - start;
  collect();
  const megabytes = (usedBytes() - before) / 1e6;
  return { geoip, megabytes, loadMs };
}

/** The plain way: every start is compared. */
function plainSearch(starts: Uint32Array, text: string): number {
  const wanted = text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

const { geoip, megabytes, loadMs } = await measureMemory();
const { starts } = (await readCountryFile(readFileSync(FILE))).v4;
const over = <T>(list: readonly T[], work: (one: T) => unknown, times = 1) => ({
  count: list.length * times,
  run: () => {
    for (let i = 0; i < times; i++) for (const one of list) work(one);
  },
});

/** Ours and a baseline for the same work; the time of one piece in µs. */
const PAIRS = {
  'country of an IPv4 address': [over(v4, (ip) => geoip.placeOf(ip)), over(v4, (ip) => plainSearch(starts, ip))],
  'country of an IPv6 address': [over(v6, (ip) => geoip.placeOf(ip)), over(v4, (ip) => plainSearch(starts, ip))],
  'a user agent that was seen before': [over(AGENTS, readUserAgent, 4000), over(AGENTS, posthogDetect, 200)],
  'a new user agent': [
    over(AGENTS, (agent) => [readDevice(agent), readBot(agent)], 200),
    over(AGENTS, posthogDetect, 200),
  ],
} as const;

function posthogDetect(agent: string): unknown[] {
  return [detectBrowser(agent, ''), detectBrowserVersion(agent, ''), detectOS(agent), detectDeviceType(agent)];
}

const measured: Record<string, { ours: number; baseline: number; ratio: number }> = {};
for (const [name, [ours, baseline]] of Object.entries(PAIRS)) {
  const contenders = [
    { name: 'ours', run: ours.run },
    { name: 'baseline', run: baseline.run },
  ];
  const found = await race(contenders, { rounds: Number(values.rounds), warmUp: 5 });
  const micros = (of: string, count: number): number => Number((((found.get(of) ?? 0) / count) * 1000).toFixed(3));
  const [us, them] = [micros('ours', ours.count), micros('baseline', baseline.count)];
  measured[name] = { ours: us, baseline: them, ratio: Number((us / them).toFixed(3)) };
}
geoip.close();
const report = {
  machine: machine(),
  microseconds: measured,
  countriesMegabytes: Number(megabytes.toFixed(1)),
  countriesLoadMs: Math.round(loadMs),
};
console.log(JSON.stringify(report, null, 2));
mkdirSync('bench/results', { recursive: true });
writeFileSync('bench/results/enrich.json', `${JSON.stringify(report, null, 2)}\n`);
