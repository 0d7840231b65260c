/** Recorded trends, lifecycles, stickiness and retention over HTTP. The cases are not part of the repository. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askCase, captureCase } from '../support/capture-case.ts';
import { INSIGHT_CASES, loadInsightCases, problemsOf } from '../support/insight-vectors.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

const KINDS = ['trends', 'lifecycle', 'stickiness', 'retention'];

const cases = loadInsightCases(KINDS);

describeVectors('recorded insights', INSIGHT_CASES, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it('are there', () => {
    expect(cases.length).toBeGreaterThan(0);
  });

  it.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const captured = await captureCase(server, one);
    const problems = problemsOf(captured.one, await askCase(server, captured), captured.personIds);
    expect(problems.join('\n')).toBe('');
  });
});
