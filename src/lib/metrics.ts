/** Metrics for Prometheus. */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { RequestTimes } from './request-times.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly contentType: string;
  /** Seconds from request to response, by route and status. */
  readonly requestTimes: RequestTimes;
  text(): Promise<string>;
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestTimes = new RequestTimes(registry);
  return { registry, contentType: registry.contentType, requestTimes, text: () => registry.metrics() };
}
