/** The text of each benchmark in the report, and the rows of its table. */
type Row = [what: string, cairn: string, baseline: string, ratio: string];

export interface Bench {
  /** `npm run bench:<name>`, which writes bench/results/<name>.json. */
  name: string;
  title: string;
  description: string;
  /** Arguments of a full run. */
  full?: string;
  /** Arguments of a quick run, to check that it works. */
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

type Footprint = Record<'cairn' | 'bare', { startMs: number; idleMb: number }> & {
  withHistory?: { events: number; afterStop: StartTimes; afterCrash: StartTimes };
};

/** From the start until an event was accepted, flags were decided, and a question was answered. */
type StartTimes = Record<'acceptedMs' | 'decidedMs' | 'answeredMs', number>;

interface PageLoad {
  kB: number;
  requests: number;
  firstContentMs: number;
  doneMs: number;
}

interface HistoryResult {
  bytesPerId: number;
  empty: Omit<EventRate, 'p99Ms'>;
  filled: Omit<EventRate, 'p99Ms'>;
  ratioOfRates: number;
  ratioOfCpu: number;
}

interface Times {
  medianMs: number;
  worstMs: number;
}

interface ExperimentResult {
  events: number;
  plainScanMs: number;
  first: Times;
  afterNewEvents: Times;
  cachedMs: number;
  peakMb: number;
  peakBeforeMb: number;
  comparisonsMs: Times & { first: number };
}

interface Batches {
  bare: EventRate;
  cairn: EventRate;
  acceptedAndProcessedPerSecond: number;
  cpuMicrosPerEventInAll: number;
  cpuMicrosPerEventEngineAlone: number;
  peakMb: number;
  lagLastThirdMs: number;
}

interface Insights {
  events: number;
  peakMb: number;
  measured: { name: string; ours: number; byHand: number }[];
}

interface WebCost {
  ms: number;
}

interface AlertRound {
  checked: { cpuMs: number };
  askedDirectly: { cpuMs: number };
}

interface ScaleRow {
  setup: string;
  'singles/s': number;
  'batched events/s accepted': number;
  'events/s processed': number;
}

const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });
const ratio = (a: number, b: number): string => (b === 0 ? '' : (a / b).toFixed(2));
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Events per second and core, from the CPU time per event. */
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

const besideEngine = (
  what: string,
  { cpuMicrosPerEventInAll: all, cpuMicrosPerEventEngineAlone: engine }: Batches,
): Row => [what, `${number(all)} µs`, `${number(engine)} µs`, ratio(all, engine)];

const startRows = (name: string, { acceptedMs, decidedMs, answeredMs }: StartTimes): Row[] => [
  [`${name}: an event is accepted`, `${number(acceptedMs)} ms`, '', ''],
  [`${name}: flags are decided`, `${number(decidedMs)} ms`, '', ''],
  [`${name}: a question is answered`, `${number(answeredMs)} ms`, '', ''],
];

export const BENCHES: readonly Bench[] = [
  {
    name: 'capture',
    title: 'Capture: events accepted and processed',
    description:
      'Compared with a bare Fastify server that parses the same bodies and stores nothing. Cairn answers 200 when the events are on disk (fsync), and its CPU time includes processing them.',
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
        besideEngine('CPU of a server event, in all; baseline: the event engine alone', batches),
        besideEngine('CPU of a browser event, in all; the same baseline', result.batchesOf100BrowserEvents),
        ['at a steady rate: accepted and processed/s', number(steady.acceptedAndProcessedPerSecond), '', ''],
        [
          'the same per busy core (bare server: accepted only)',
          number(perCore(steady.cairn)),
          number(perCore(steady.bare)),
          ratio(perCore(steady.cairn), perCore(steady.bare)),
        ],
        ['at a steady rate: lag at the end', `${number(Math.round(steady.lagLastThirdMs))} ms`, '', ''],
        ['at a steady rate: peak memory', `${number(Math.round(steady.peakMb))} MB`, '', ''],
        ['bytes on disk per event', number(result.diskBytesPerEvent), '', ''],
      ];
    },
  },
  {
    name: 'decide',
    title: 'Flags over HTTP, and the evaluator by itself',
    description:
      '20 flags with property conditions and variants, for random persons of 100,000 stored ones, compared with a bare Fastify server that returns static JSON of the same size.',
    short: '--short',
    rows: (result: {
      decide20Flags: { bare: Rate; cairn: Rate };
      flags20Flags: { bare: Rate; cairn: Rate };
      longestWaitBesideLargeBatch: { bareMs: number; cairnMs: number };
      countingUsage?: { percentOfRepeatedDecision: number; percentOfNewDecision: number };
    }) => [
      ...againstBare('`/decide/?v=3`', result.decide20Flags.bare, result.decide20Flags.cairn),
      ...againstBare('`/flags/?v=2`', result.flags20Flags.bare, result.flags20Flags.cairn),
      [
        '`/decide/?v=3`, longest wait while a 19 MB batch is received',
        `${number(result.longestWaitBesideLargeBatch.cairnMs)} ms`,
        `${number(result.longestWaitBesideLargeBatch.bareMs)} ms`,
        '',
      ],
      ...(result.countingUsage === undefined
        ? []
        : [
            [
              'counting usage, of the CPU time of a decision (of a new one)',
              `${result.countingUsage.percentOfRepeatedDecision} % (${result.countingUsage.percentOfNewDecision} %)`,
              '',
              '',
            ] satisfies Row,
          ]),
    ],
  },
  {
    name: 'parse',
    title: 'Parsing JSON with all digits of whole numbers',
    description:
      'Microseconds of CPU time for a body, compared with `JSON.parse`, which rounds whole numbers beyond 2^53. A few characters tell whether there can be one.',
    short: '--rounds 11',
    rows: ({ measured }: { measured: Record<string, { ours: number; native: number }> }) =>
      Object.entries(measured).map(
        ([name, { ours, native }]): Row => [name, `${number(ours)} µs`, `${number(native)} µs`, ratio(ours, native)],
      ),
  },
  {
    name: 'enrich',
    title: 'What ingestion adds to a page event',
    description:
      'Microseconds of CPU time: the country of an address, compared with a binary search over all ranges, and browser, system, device and bot of a user agent, compared with the functions of posthog-js, which find no bots.',
    short: '--rounds 11',
    rows: (result: {
      microseconds: Record<string, { ours: number; baseline: number }>;
      countriesMegabytes: number;
    }) => [
      ...Object.entries(result.microseconds).map(
        ([name, { ours, baseline }]): Row => [name, `${ours} µs`, `${baseline} µs`, ratio(ours, baseline)],
      ),
      ['memory of the table of countries', `${result.countriesMegabytes} MB`, '', ''],
    ],
  },
  {
    name: 'unleash',
    title: 'Flags over HTTP compared with Unleash',
    description:
      'The same 20 conditions in Unleash (from npm, on PostgreSQL): all flags of one user by POST to its frontend API, compared with POST `/flags/?v=2`. Both requests contain the properties.',
    short: '--seconds 3',
    rows: (result: { cairn: Rate; unleash: Rate }) => againstBare('all flags of a user', result.unleash, result.cairn),
  },
  {
    name: 'insights',
    title: 'Insights',
    description:
      'A made-up product over 90 days (200,000 persons at 10 million events), compared with hand-written SQL for the same question on the same file.',
    // Keeps the events: creating them takes longer than the queries.
    full: '--folder bench/results/insights',
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
        [`${number(events)} events: peak memory`, `${Math.round(peakMb)} MB`, '', ''] as Row,
      ]),
  },
  {
    name: 'scale',
    title: 'Cluster: PostgreSQL instead of the embedded stores',
    description:
      'One web node with one and two workers on PostgreSQL, compared with the embedded backend. Everything shares this machine, so a second worker adds little if the CPU is the limit. Without `CLICKHOUSE_URL` events are processed but not shipped.',
    full: '--events 200000',
    short: '--events 10000 --seconds 2',
    rows: ({ rows, limits }: { rows: readonly ScaleRow[]; limits: readonly string[] }) => {
      const [embedded] = rows;
      const compare = (name: keyof ScaleRow): Row[] =>
        rows
          .slice(1)
          .map(
            (row): Row => [
              `${row.setup}: ${name}`,
              number(Number(row[name])),
              number(Number(embedded?.[name])),
              ratio(Number(row[name]), Number(embedded?.[name])),
            ],
          );
      return [
        ...compare('singles/s'),
        ...compare('batched events/s accepted'),
        ...compare('events/s processed'),
        ...limits.map((limit): Row => [`bottleneck of ${limit}`, '', '', '']),
      ];
    },
  },
  {
    name: 'history',
    title: 'A long history',
    description:
      'The same load of server events with random ids on an empty server and on one that knows the ids of many events, in turns.',
    short: '--short',
    rows: (result: HistoryResult) => [
      [
        'events/s accepted and processed',
        number(result.filled.eventsPerSecond),
        `empty: ${number(result.empty.eventsPerSecond)}`,
        String(result.ratioOfRates),
      ],
      [
        'CPU per event, µs',
        String(result.filled.cpuMicrosPerEvent),
        `empty: ${result.empty.cpuMicrosPerEvent}`,
        String(result.ratioOfCpu),
      ],
      ['bytes per id on disk', String(result.bytesPerId), '', ''],
    ],
  },
  {
    name: 'persons',
    title: 'Persons',
    description: 'Lookups compared with bare SQLite; lists and filters over HTTP.',
    short: '--persons 20000 --ids 2000',
  },
  {
    name: 'web',
    title: 'Web analytics',
    description:
      'The whole page in one request: totals, chart, comparison with the period before and nine tables, beside one statement of SQL by hand for each tile, with the same numbers, and another for the table of pages. And how long capture and flags take while a server computes overviews.',
    short: '--short',
    rows: (result: {
      asked: Record<'overview' | 'overview, first visit' | 'overview, one filter' | 'all pages' | 'live', WebCost>;
      byHand: Record<string, WebCost>;
      waits: Record<'quiet' | 'besideOverview', { decideP99: number; captureP99: number }>;
    }) => {
      const { asked, byHand, waits } = result;
      const { 'unique visitors by day': _, Pages: pages, ...tiles } = byHand;
      const allTiles = Object.values(tiles).reduce((sum, { ms }) => sum + ms, 0);
      const beside = (name: string, { ms }: WebCost, baseline: number): Row => [
        name,
        seconds(ms),
        seconds(baseline),
        ratio(ms, baseline),
      ];
      const wait = (name: string, key: 'decideP99' | 'captureP99'): Row => [
        name,
        `${waits.besideOverview[key]} ms`,
        `${waits.quiet[key]} ms`,
        ratio(waits.besideOverview[key], waits.quiet[key]),
      ];
      return [
        beside('overview, beside its five tiles by hand', asked.overview, allTiles),
        beside('first visit', asked['overview, first visit'], allTiles),
        beside('one filter', asked['overview, one filter'], allTiles),
        beside('all pages, beside ten by hand', asked['all pages'], pages?.ms ?? 0),
        ['who is here now', seconds(asked.live.ms), '', ''],
        wait('/decide/ beside overviews, p99', 'decideP99'),
        wait('/e/ beside overviews, p99', 'captureP99'),
      ];
    },
  },
  {
    name: 'experiments',
    title: 'Experiments',
    description:
      'Ten metrics of an experiment: the first answer, the one after 1,000 new events, and the next one without any, beside one plain scan of the same events. And the statistics of 20 metrics and 50 variants alone.',
    full: '--folder bench/results/experiments',
    short: '--events 20000',
    rows: (result: ExperimentResult) => {
      const { plainScanMs: scan, first, afterNewEvents, cachedMs, comparisonsMs, events } = result;
      const beside = (name: string, ms: number): Row => [name, seconds(ms), seconds(scan), ratio(ms, scan)];
      return [
        beside(`first answer, ${number(events)} events, median`, first.medianMs),
        beside('the same, worst', first.worstMs),
        beside('after 1,000 new events, median', afterNewEvents.medianMs),
        beside('the same, worst', afterNewEvents.worstMs),
        beside('without new events', cachedMs),
        ['peak memory', `${result.peakMb} MB`, `before the first question: ${result.peakBeforeMb} MB`, ''],
        ['1,000 comparisons', `${comparisonsMs.medianMs} ms`, `first time: ${comparisonsMs.first} ms`, ''],
      ];
    },
  },
  {
    name: 'sql',
    title: 'SQL of users',
    description:
      'Statements, checked and run in a process of its own, beside the same SQL written by hand for the same file, from asking to having the rows.',
    short: '--events 20000 --rounds 3',
    rows: ({ results }: { results: Record<string, { askedMs: number; byHandMs: number; ratio: number }> }) =>
      Object.entries(results).map(
        ([name, { askedMs, byHandMs, ratio }]): Row => [name, `${askedMs} ms`, `${byHandMs} ms`, String(ratio)],
      ),
  },
  {
    name: 'alerts',
    title: 'Alerts and destinations',
    description:
      'One check of each of 200 alerts, by the minute and by the hour, beside the same questions asked without alerts; CPU time, because checks leave half of the time to others. How long /decide/ takes while 200 alerts are checked every minute, beside how long it takes without alerts. And CPU time of each captured event with a destination, beside none.',
    short: '--events 20000 --alerts 20 --rounds 1 --seconds 5 --only minute,hour,destinations',
    rows: (result: {
      byTheMinute: AlertRound;
      byTheHour: AlertRound;
      waits?: Record<'quiet' | 'besideAlerts', { decideP99: number; captureP99: number }>;
      destinations: { cpuMicrosPerEvent: Record<'none' | 'filtered' | 'waiting' | 'sent', number> };
    }) => {
      const { byTheMinute, byTheHour, waits, destinations } = result;
      const round = (name: string, { checked, askedDirectly }: AlertRound): Row => [
        name,
        seconds(checked.cpuMs),
        seconds(askedDirectly.cpuMs),
        ratio(checked.cpuMs, askedDirectly.cpuMs),
      ];
      const wait = (name: string, busy: number, quiet: number): Row => [
        name,
        `${busy} ms`,
        `${quiet} ms`,
        ratio(busy, quiet),
      ];
      const { none, ...others } = destinations.cpuMicrosPerEvent;
      return [
        round('checks by the minute, CPU', byTheMinute),
        round('checks by the hour, CPU', byTheHour),
        ...(waits
          ? [
              wait('/decide/, p99', waits.besideAlerts.decideP99, waits.quiet.decideP99),
              wait('/e/, p99', waits.besideAlerts.captureP99, waits.quiet.captureP99),
            ]
          : []),
        ...Object.entries(others).map(
          ([name, micros]): Row => [`an event, ${name}`, `${micros} µs`, `${none} µs`, ratio(micros, none)],
        ),
      ];
    },
  },
  {
    name: 'mcp',
    title: 'Tools for assistants',
    description:
      'Calls of `/mcp`, one at a time, beside the routes that they call: `flag_get` beside its three, and the list of tools beside a ping.',
    short: '--rounds 20',
    rows: ({ calls }: { calls: Record<string, { toolMs: number; routeMs: number; aboveMs: number }> }) =>
      Object.entries(calls).map(
        ([name, { toolMs, routeMs, aboveMs }]): Row => [name, `${toolMs} ms`, `${routeMs} ms`, `+ ${aboveMs} ms`],
      ),
  },
  {
    name: 'footprint',
    title: 'Startup time and idle memory',
    description:
      'Compared with a bare Fastify server: from process start to the first response, and resident memory 5 s later.',
    short: '--starts 1',
    rows: ({ cairn, bare, withHistory: history }: Footprint) => [
      ['start to first response', `${number(cairn.startMs)} ms`, `${number(bare.startMs)} ms`, ''],
      ['idle memory', `${cairn.idleMb} MB`, `${bare.idleMb} MB`, ''],
      ...(history === undefined
        ? []
        : [
            ...startRows(`start with ${number(history.events)} events`, history.afterStop),
            ...startRows('… after a crash in a burst', history.afterCrash),
          ]),
    ],
  },
  {
    name: 'console',
    title: 'What pages of the console load',
    description:
      'Each page with demo data in Chromium, with an empty cache: bytes over the network, requests, time until the first text or picture, and until nothing is loading. The baseline is the sign-in page.',
    short: '--runs 1',
    rows: ({ pages }: { pages: Record<string, PageLoad> }) => {
      const { '/login': login, ...others } = pages;
      const text = (load: PageLoad | undefined): string =>
        load ? `${load.kB} kB, ${load.requests} requests, ${load.firstContentMs} ms, ${load.doneMs} ms` : '';
      return Object.entries(others).map(
        ([path, load]): Row => [path.split('&')[0] ?? path, text(load), text(login), ''],
      );
    },
  },
];
