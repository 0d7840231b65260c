import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { RequestTimes } from './request-times.ts';

it('gives the same output as the histogram of the library', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const times = new RequestTimes(ours);
  const histogram = new Histogram({
    name: 'cairn_http_request_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [theirs],
  });
  const seen: [string, string, number, number][] = [
    ['GET', '/a/', 200, 0.0005],
    ['GET', '/a/', 200, 0.001],
    ['GET', '/a/', 200, 0.0010001],
    ['GET', '/a/', 404, 11],
    ['POST', '/a/', 200, 2.5],
    ['POST', '/api/:id/"quoted"', 200, 0],
  ];
  for (const [method, route, status, seconds] of seen) {
    times.observe(method, route, status, seconds);
    histogram.observe({ method, route, status }, seconds);
  }
  const linesOf = async (registry: Registry): Promise<string[]> => (await registry.metrics()).split('\n').sort();
  expect(await linesOf(ours)).toEqual(await linesOf(theirs));
});

it('is empty before the first request', async () => {
  const registry = new Registry();
  new RequestTimes(registry);
  expect(await registry.metrics()).toContain('# TYPE cairn_http_request_seconds histogram');
});
