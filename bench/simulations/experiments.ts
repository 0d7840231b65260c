/**
 * What the statistics of experiments promise, tried out: how often they see something where nothing is, and how often
 * they find what is there. `npm run simulate:experiments` runs them in full, a test in small.
 */
import { type AnalysisSettings, analyse, hasEnoughData, type VariantData } from '../../src/core/experiments/analyse.ts';
import { armOf } from '../../src/core/experiments/arm.ts';
import { type Bounds, compareArms } from '../../src/core/experiments/compare-arms.ts';
import { benjaminiHochberg, holm } from '../../src/core/experiments/corrections.ts';
import { sampleSize } from '../../src/core/experiments/power.ts';
import { checkSampleRatio } from '../../src/core/experiments/sample-ratio.ts';
import { type SequentialTest, sequentialTest } from '../../src/core/experiments/sequential-test.ts';
import { addData, METRICS, METRICS_WITH_PAST, type SimulatedMetric } from './metrics.ts';
import { Random } from './random.ts';

export interface SimulationRow {
  simulation: string;
  row: string;
  runs: number;
  seed: number;
  /** How often it happened, between 0 and 1. */
  share: number;
  /** The range that is promised. */
  from: number;
  to: number;
}

/** `scale` of 0.1 does a tenth of the runs. */
type Simulation = (scale: number) => SimulationRow[];

const SETTINGS: AnalysisSettings = { alpha: 0.05, tuningN: 5000, level: 0.95, prior: null, isLowerBetter: false };

function shareOf(runs: number, happens: () => boolean): number {
  let count = 0;
  for (let run = 0; run < runs; run++) if (happens()) count += 1;
  return count / runs;
}

const LOOKS = 200;
/** Entities of both variants that arrive between two looks. */
const PER_LOOK = 100;

/** No effect, and 200 looks at it: is anything ever decided? */
const aaSequential: Simulation = (scale) => {
  const rows = METRICS.flatMap((metric) =>
    [0.5, 0.9].flatMap((share) => [5000, 20_000].map((tuningN) => ({ metric, share, tuningN }))),
  );
  return rows.map(({ metric, share, tuningN }, at) => {
    const seed = 20260101 + at;
    const random = new Random(seed);
    const runs = Math.round(2000 * scale);
    const everDecided = (): boolean => looksAt(random, metric, share).some((look) => isDecided(look, tuningN));
    return {
      simulation: 'aa-sequential',
      row: `${metric.name}, ${share * 100}/${Math.round((1 - share) * 100)}, tuned to ${tuningN}`,
      runs,
      seed,
      share: shareOf(runs, everDecided),
      from: 0,
      to: 0.05,
    };
  });
};

interface Look {
  control: VariantData;
  treatment: VariantData;
}

/** Lazily, since most of the time of a run would go into looks after a decision. */
function* looks(random: Random, metric: SimulatedMetric, share: number, lift = 0): Generator<Look> {
  const size = Math.round(PER_LOOK * share);
  let look: Look | null = null;
  for (let at = 0; at < LOOKS; at++) {
    const control = metric.draw(random, size, 0);
    const treatment = metric.draw(random, PER_LOOK - size, lift);
    look =
      look === null
        ? { control, treatment }
        : { control: addData(look.control, control), treatment: addData(look.treatment, treatment) };
    yield look;
  }
}

const looksAt = (random: Random, metric: SimulatedMetric, share: number, lift = 0) => ({
  some(test: (look: Look) => boolean): boolean {
    for (const look of looks(random, metric, share, lift)) if (test(look)) return true;
    return false;
  },
});

const isDecided = (look: Look, tuningN: number): boolean =>
  (sequentialAt(look, tuningN)?.pValue ?? 1) <= SETTINGS.alpha;

/** As `analyse` does it, without everything else; null where there is not enough data. */
function sequentialAt({ control, treatment }: Look, tuningN: number): SequentialTest | null {
  if (!hasEnoughData(control) || !hasEnoughData(treatment)) return null;
  return sequentialTest(compareArms(armOf(control.sums), armOf(treatment.sums)), SETTINGS.alpha, tuningN);
}

const contains = (interval: Bounds | null | undefined, value: number): boolean =>
  interval !== null && interval !== undefined && interval[0] <= value && value <= interval[1];

/** The true difference is inside the sequential interval at all 200 looks. */
const coverageSequential: Simulation = (scale) =>
  METRICS.map((metric, at) => {
    const seed = 20260401 + at;
    const random = new Random(seed);
    const runs = Math.round(2000 * scale);
    const isOutside = (look: Look): boolean => {
      const test = sequentialAt(look, SETTINGS.tuningN);
      return test !== null && !contains(test.interval, 0.1 * metric.mean);
    };
    const share = shareOf(runs, () => !looksAt(random, metric, 0.5, 0.1).some(isOutside));
    return { simulation: 'coverage-sequential', row: metric.name, runs, seed, share, from: 0.95, to: 1 };
  });

/** How many entities a variant needs to show a lift of ten percent. */
function plannedSize(metric: SimulatedMetric, mdeRelative: number, tuningN: number | null) {
  const { mean, variance, growsByPeople } = metric;
  const size = sampleSize({
    baseline: { mean, variance, growsByPeople },
    mdeRelative,
    alpha: 0.05,
    comparisons: 1,
    power: 0.8,
    treatmentPerControl: 1,
    tuningN,
  });
  if (size === null) throw new Error(`No number of entities is enough for ${metric.name}.`);
  return size;
}

const MIN_PLANNED = 1000;

/** At the planned size: false alarms without an effect, and how often the intervals contain the truth. */
const fixedHorizon: Simulation = (scale) =>
  [...METRICS, ...METRICS_WITH_PAST].flatMap((metric, at) =>
    [0, 0.1].flatMap((lift) => {
      const seed = 20260301 + 2 * at + (lift === 0 ? 0 : 1);
      const random = new Random(seed);
      const runs = Math.round(10_000 * scale);
      // The normal approximation needs some entities, even where the plan needs few.
      const n = METRICS_WITH_PAST.includes(metric)
        ? 2 * MIN_PLANNED
        : Math.max(MIN_PLANNED, plannedSize(metric, 0.1, null).control);
      const counts = { difference: 0, lift: 0, alarms: 0 };
      for (let run = 0; run < runs; run++) {
        const { fixed } = analyse(metric.draw(random, n, 0), metric.draw(random, n, lift), SETTINGS);
        if (contains(fixed?.interval, lift * metric.mean)) counts.difference += 1;
        if (contains(fixed?.liftInterval, lift)) counts.lift += 1;
        if ((fixed?.pValue ?? 1) <= SETTINGS.alpha) counts.alarms += 1;
      }
      const shared = { runs, seed };
      const row = `${metric.name}, effect ${lift * 100} %, ${n} per variant`;
      const within = { from: 0.94, to: 0.96 };
      return [
        { simulation: 'coverage', row: `difference of ${row}`, ...shared, share: counts.difference / runs, ...within },
        { simulation: 'coverage', row: `lift of ${row}`, ...shared, share: counts.lift / runs, ...within },
        ...(lift === 0
          ? [{ simulation: 'aa-fixed', row, ...shared, share: counts.alarms / runs, from: 0.043, to: 0.057 }]
          : []),
      ];
    }),
  );

/** An effect as large as planned for, at the planned size. */
const power: Simulation = (scale) =>
  METRICS.flatMap((metric, at) =>
    [null, 5000].map((tuningN, which) => {
      const mde = metric.mean < 0.01 ? 0.2 : 0.1;
      const seed = 20260501 + 2 * at + which;
      const random = new Random(seed);
      const runs = Math.round(5000 * scale);
      const { control, treatment } = plannedSize(metric, mde, tuningN);
      const isFound = (): boolean => {
        const result = analyse(metric.draw(random, control, 0), metric.draw(random, treatment, mde), SETTINGS);
        return ((tuningN === null ? result.fixed : result.sequential)?.pValue ?? 1) <= SETTINGS.alpha;
      };
      const row = `${metric.name}, ${tuningN === null ? 'fixed' : 'sequential, one look'}, ${control} per variant`;
      return { simulation: 'power', row, runs, seed, share: shareOf(runs, isFound), from: 0.78, to: 0.82 };
    }),
  );

const FAMILY_METRICS = 10;
const FAMILY_VARIANTS = 3;
const FAMILY_ENTITIES = 200;

/** Ten metrics that resemble each other (correlation ½), three variants, no effect: is there any false alarm? */
const families: Simulation = (scale) =>
  [holm, benjaminiHochberg].map((correct, at) => {
    const seed = 20260601 + at;
    const random = new Random(seed);
    const runs = Math.round(5000 * scale);
    const isAlarm = (): boolean => {
      const [control = [], ...others] = Array.from({ length: FAMILY_VARIANTS + 1 }, () => drawFamily(random));
      const pValues = others.flatMap((own) =>
        own.map((data, which) => analyse(control[which] ?? data, data, SETTINGS).fixed?.pValue ?? 1),
      );
      return correct(pValues).some((p) => p <= SETTINGS.alpha);
    };
    const row = correct === holm ? 'Holm' : 'Benjamini–Hochberg';
    return { simulation: 'families', row, runs, seed, share: shareOf(runs, isAlarm), from: 0, to: 0.057 };
  });

function drawFamily(random: Random): VariantData[] {
  const sums = Array.from({ length: FAMILY_METRICS }, () => ({ sum: 0, sumSquares: 0 }));
  for (let at = 0; at < FAMILY_ENTITIES; at++) {
    const shared = random.normal();
    for (const own of sums) {
      const value = 10 + (shared + random.normal()) / Math.SQRT2;
      own.sum += value;
      own.sumSquares += value * value;
    }
  }
  return sums.map((own) => ({
    sums: { kind: 'mean', n: FAMILY_ENTITIES, ...own },
    nonZero: FAMILY_ENTITIES,
    isBinary: false,
  }));
}

/** The check on the split: no alarm for an even one, an alarm for 52:48, or where one variant lost three percent. */
const sampleRatio: Simulation = (scale) => {
  const isMismatch = (one: number, two: number): boolean =>
    checkSampleRatio([one, two], [50, 50]).status === 'mismatch';
  const rows: [string, number, number, (random: Random) => boolean][] = [
    ['10,000 at 50:50', 0, 0.001, (random) => splitOf(random, 10_000, 0.5, isMismatch)],
    ['20,000 at 50:50', 0, 0.001, (random) => splitOf(random, 20_000, 0.5, isMismatch)],
    ['20,000 at 52:48', 0.99, 1, (random) => splitOf(random, 20_000, 0.48, isMismatch)],
    ['3 % of one variant lost at 200,000', 0.99, 1, (random) => splitOf(random, 198_500, 0.97 / 1.97, isMismatch)],
  ];
  return rows.map(([row, from, to, happens], at) => {
    const seed = 20260701 + at;
    const random = new Random(seed);
    // Even splits are quick to draw, and their share is small.
    const runs = Math.round((from === 0 ? 1_000_000 : row.includes('52:48') ? 20_000 : 3000) * scale);
    return { simulation: 'split', row, runs, seed, share: shareOf(runs, () => happens(random)), from, to };
  });
};

function splitOf(random: Random, n: number, rate: number, test: (one: number, two: number) => boolean): boolean {
  const one = rate === 0.5 ? heads(random, n) : random.binomial(n, rate);
  return test(n - one, one);
}

/** Fair coins, 32 at a time. */
function heads(random: Random, n: number): number {
  let count = 0;
  for (let left = n; left > 0; left -= 32) {
    let bits = left >= 32 ? random.bits() : random.bits() >>> (32 - left);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

const GROWING_ENTITIES = 1000;

/** All enter on the first day, and their values grow for 200 days. */
const growing: Simulation = (scale) => {
  const seed = 20260801;
  const random = new Random(seed);
  const runs = Math.round(2000 * scale);
  const everDecided = (): boolean => {
    const values = [new Float64Array(GROWING_ENTITIES), new Float64Array(GROWING_ENTITIES)] as const;
    for (let day = 0; day < LOOKS; day++) {
      const [control, treatment] = [grow(random, values[0]), grow(random, values[1])];
      if (isDecided({ control, treatment }, 5000)) return true;
    }
    return false;
  };
  const row = '1,000 per variant, 200 days';
  return [{ simulation: 'growing', row, runs, seed, share: shareOf(runs, everDecided), from: 0, to: 0.05 }];
};

/** Each entity has a rate of its own, so that its days resemble each other. */
function grow(random: Random, values: Float64Array): VariantData {
  let [sum, sumSquares, nonZero] = [0, 0, 0];
  for (let at = 0; at < values.length; at++) {
    const value = (values[at] ?? 0) + (random.uniform() < 0.02 + (at % 10) * 0.02 ? 1 : 0);
    values[at] = value;
    sum += value;
    sumSquares += value * value;
    if (value !== 0) nonZero += 1;
  }
  return { sums: { kind: 'mean', n: values.length, sum, sumSquares }, nonZero, isBinary: false };
}

export const SIMULATIONS: Readonly<Record<string, Simulation>> = {
  'aa-sequential': aaSequential,
  'coverage-sequential': coverageSequential,
  fixed: fixedHorizon,
  power,
  families,
  split: sampleRatio,
  growing,
};
