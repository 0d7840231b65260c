/** Numbers for Prometheus: the process's own, and what the rooms report. */
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly contentType: string;
  /** Seconds from a request's arrival to its answer, by route and status. */
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  text(): Promise<string>;
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestSeconds = new Histogram({
    name: 'cairn_http_request_seconds',
    help: 'Time from the arrival of a request to its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [registry],
  });
  return { registry, contentType: registry.contentType, requestSeconds, text: () => registry.metrics() };
}
