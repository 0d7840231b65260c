/**
 * How long requests take, as a histogram for Prometheus. A request only counts into an array; labels are built when the
 * metrics are read. The library's histogram builds a key from the labels at every observation, which took a tenth of the
 * time of a small request.
 */
import type { Metric, Registry } from 'prom-client';

const NAME = 'cairn_http_request_seconds';
const HELP = 'Time from request to response';
/** Upper bounds in seconds; the last bucket has none. */
const BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

interface Series {
  method: string;
  route: string;
  status: number;
  /** Counts between a bound and the one before it. */
  buckets: number[];
  sum: number;
}

interface Value {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

export class RequestTimes {
  readonly #byRoute = new Map<string, Series[]>();

  constructor(registry: Registry) {
    // All that a registry needs of a metric: its name, and its values on demand.
    const metric = { name: NAME, get: async () => this.#describe(), reset: () => this.#byRoute.clear() };
    registry.registerMetric(metric as unknown as Metric);
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const { buckets } = this.#series(method, route, status, seconds);
    let index = 0;
    while (index < BOUNDS.length && seconds > (BOUNDS[index] ?? 0)) index++;
    buckets[index] = (buckets[index] ?? 0) + 1;
  }

  /** A route has a handful of statuses and methods: a linear search is faster than a key. */
  #series(method: string, route: string, status: number, seconds: number): Series {
    const all = this.#byRoute.get(route) ?? [];
    let series = all.find((one) => one.status === status && one.method === method);
    if (series === undefined) {
      series = { method, route, status, buckets: new Array(BOUNDS.length + 1).fill(0), sum: 0 };
      this.#byRoute.set(route, [...all, series]);
    }
    series.sum += seconds;
    return series;
  }

  #describe() {
    const values = [...this.#byRoute.values()].flat().flatMap(valuesOf);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }
}

function valuesOf({ method, route, status, buckets, sum }: Series): Value[] {
  const labels = { method, route, status };
  let count = 0;
  const below = [...BOUNDS, '+Inf'].map((le, index): Value => {
    count += buckets[index] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...below,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
