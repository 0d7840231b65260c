/** What the report says of each benchmark, and which of its figures stand in the table. */
type Row = [what: string, cairn: string, baseline: string, ratio: string];

export interface Bench {
  /** `npm run bench:<name>`, which leaves bench/results/<name>.json. */
  name: string;
  title: string;
  explains: string;
  /** Arguments of a whole run, where it needs any. */
  whole?: string;
  /** Arguments that show only that it runs. */
  short: string;
  rows?(result: never): Row[];
}

interface Rate {
  requestsPerSecond: number;
  p99Ms: number;
  cpuMicrosPerRequest: number;
}

interface EventRate {
  eventsPerSecond: number;
  p99Ms: number;
  cpuMicrosPerEvent: number;
}

interface Batches {
  bare: EventRate;
  cairn: EventRate;
  acceptedAndProcessedPerSecond: number;
  peakMb: number;
  lagLastThirdMs: number;
}

interface Insights {
  events: number;
  peakMb: number;
  measured: { name: string; ours: number; byHand: number }[];
}

interface ScaleRow {
  set: string;
  'singles/s': number;
  'batched events/s accepted': number;
  'events/s processed': number;
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });
const ratio = (a: number, b: number): string => (b === 0 ? '' : (a / b).toFixed(2));
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Events a second, durable, by the time of the processor that one takes. */
const perCore = ({ cpuMicrosPerEvent }: EventRate): number => Math.round(1e6 / cpuMicrosPerEvent);

const againstBare = (what: string, bare: Rate, cairn: Rate): Row[] => [
  [
    `${what}, requests/s`,
    number(cairn.requestsPerSecond),
    number(bare.requestsPerSecond),
    ratio(cairn.requestsPerSecond, bare.requestsPerSecond),
  ],
  [
    `${what}, CPU per request`,
    `${number(cairn.cpuMicrosPerRequest)} µs`,
    `${number(bare.cpuMicrosPerRequest)} µs`,
    ratio(bare.cpuMicrosPerRequest, cairn.cpuMicrosPerRequest),
  ],
  [`${what}, p99`, `${number(cairn.p99Ms)} ms`, `${number(bare.p99Ms)} ms`, ''],
];

export const BENCHES: readonly Bench[] = [
  {
    name: 'capture',
    title: 'Capture: events accepted durably, and processed',
    explains:
      'Beside a bare Fastify server that parses the same bodies and keeps nothing. A 200 of Cairn means that the events are on disk (fsync). The CPU of Cairn includes the processing of the events.',
    short: '--seconds 2 --burst 20000 --events 50000',
    rows: (result: {
      singleBrowserEvents: { bare: EventRate; cairn: EventRate };
      batchesOf100ServerEvents: Batches;
      batchesOf100BrowserEvents: Batches;
      steadyServerEvents: Batches;
      diskBytesPerEvent: number;
    }) => {
      const { singleBrowserEvents: single, batchesOf100ServerEvents: batches, steadyServerEvents: steady } = result;
      return [
        [
          'single browser events/s',
          number(single.cairn.eventsPerSecond),
          number(single.bare.eventsPerSecond),
          ratio(single.cairn.eventsPerSecond, single.bare.eventsPerSecond),
        ],
        [
          'batches of 100 server events, accepted/s',
          number(batches.cairn.eventsPerSecond),
          number(batches.bare.eventsPerSecond),
          ratio(batches.cairn.eventsPerSecond, batches.bare.eventsPerSecond),
        ],
        ['the same, accepted and processed/s', number(batches.acceptedAndProcessedPerSecond), '', ''],
        [
          'batches of 100 browser events, accepted and processed/s',
          number(result.batchesOf100BrowserEvents.acceptedAndProcessedPerSecond),
          '',
          '',
        ],
        ['at a steady rate: accepted and processed/s', number(steady.acceptedAndProcessedPerSecond), '', ''],
        [
          'the same for each core that it keeps busy (of the bare server: accepted alone)',
          number(perCore(steady.cairn)),
          number(perCore(steady.bare)),
          ratio(perCore(steady.cairn), perCore(steady.bare)),
        ],
        ['at a steady rate: lag at the end', `${number(Math.round(steady.lagLastThirdMs))} ms`, '', ''],
        ['at a steady rate: peak of memory', `${number(Math.round(steady.peakMb))} MB`, '', ''],
        ['bytes on disk per event', number(result.diskBytesPerEvent), '', ''],
      ];
    },
  },
  {
    name: 'decide',
    title: 'Flags over HTTP, and the evaluator alone',
    explains:
      '20 flags with property conditions and variants, 100,000 stored persons asked at random, beside a bare Fastify server that answers a ready-made JSON of the same size.',
    short: '--short',
    rows: (result: {
      decide20Flags: { bare: Rate; cairn: Rate };
      flags20Flags: { bare: Rate; cairn: Rate };
      longestWaitBesideLargeBatch: { bareMs: number; cairnMs: number };
    }) => [
      ...againstBare('`/decide/?v=3`', result.decide20Flags.bare, result.decide20Flags.cairn),
      ...againstBare('`/flags/?v=2`', result.flags20Flags.bare, result.flags20Flags.cairn),
      [
        '`/decide/?v=3`, longest wait while a batch of 19 MB comes in',
        `${number(result.longestWaitBesideLargeBatch.cairnMs)} ms`,
        `${number(result.longestWaitBesideLargeBatch.bareMs)} ms`,
        '',
      ],
    ],
  },
  {
    name: 'unleash',
    title: 'Flags over HTTP beside Unleash',
    explains:
      'The same 20 conditions in Unleash (from npm, on PostgreSQL): all flags of one user by POST to its frontend API, beside POST `/flags/?v=2`. The properties come with the request on both.',
    short: '--seconds 3',
    rows: (result: { cairn: Rate; unleash: Rate }) => againstBare('all flags of a user', result.unleash, result.cairn),
  },
  {
    name: 'insights',
    title: 'Insights',
    explains:
      'A made-up product over 90 days (200,000 persons at 10 million events), beside SQL written by hand for the same question on the same file.',
    // The events are kept: to make them takes longer than to ask about them.
    whole: '--folder bench/results/insights',
    short: '--short',
    rows: (reports: readonly Insights[]) =>
      reports.flatMap(({ events, measured, peakMb }) => [
        ...measured.map(
          ({ name, ours, byHand }): Row => [
            `${number(events)} events: ${name}`,
            seconds(ours),
            seconds(byHand),
            ratio(ours, byHand),
          ],
        ),
        [`${number(events)} events: peak of memory`, `${Math.round(peakMb)} MB`, '', ''] as Row,
      ]),
  },
  {
    name: 'scale',
    title: 'Many machines: PostgreSQL in the place of the embedded stores',
    explains:
      'One web node with one and two workers on PostgreSQL, beside the embedded set. Everything shares this machine, so a second worker cannot be faster here than the first where the processor is what limits it. Without `CLICKHOUSE_URL` events are processed and not shipped.',
    whole: '--events 200000',
    short: '--events 10000 --seconds 2',
    rows: ({ rows, limits }: { rows: readonly ScaleRow[]; limits: readonly string[] }) => {
      const [embedded] = rows;
      const beside = (name: keyof ScaleRow): Row[] =>
        rows
          .slice(1)
          .map(
            (row): Row => [
              `${row.set}: ${name}`,
              number(Number(row[name])),
              number(Number(embedded?.[name])),
              ratio(Number(row[name]), Number(embedded?.[name])),
            ],
          );
      return [
        ...beside('singles/s'),
        ...beside('batched events/s accepted'),
        ...beside('events/s processed'),
        ...limits.map((limit): Row => [`what limits ${limit}`, '', '', '']),
      ];
    },
  },
  {
    name: 'persons',
    title: 'Persons',
    explains: 'A million persons: look-ups beside bare SQLite, lists and filters over HTTP.',
    short: '--persons 20000 --ids 2000',
  },
  {
    name: 'footprint',
    title: 'Starting, and being idle',
    explains:
      'Beside a bare Fastify server: from the start of the process to the first answer, and resident memory 5 s later.',
    short: '--starts 1',
    rows: ({ cairn, bare }: Record<'cairn' | 'bare', { startMs: number; idleMb: number }>) => [
      ['start to first answer', `${number(cairn.startMs)} ms`, `${number(bare.startMs)} ms`, ''],
      ['memory when idle', `${cairn.idleMb} MB`, `${bare.idleMb} MB`, ''],
    ],
  },
];
