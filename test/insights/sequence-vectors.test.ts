/** Recorded funnels, paths and correlations over HTTP. The cases are not part of the repository. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../src/core/json/json.ts';
import { makeActions } from '../support/case-actions.ts';
import { INSIGHT_CASES, type InsightCase, loadInsightCases, problemsOf } from '../support/insight-vectors.ts';
import { askCase, makeCohorts, personIdsOf, type SentCase, sendCase, withCohorts } from '../support/send-case.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

const KINDS = ['funnel', 'paths', 'correlation'];

/** Cases whose recorded answer differs on purpose, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'test_funnel_unordered::test_funnel_step_breakdown_event_with_string_only_breakdown#0':
    'recorded below HTTP, where a value is a list of texts; over HTTP a body gets a text for a text',
};

const isSame = (one: InsightCase): boolean => DIFFERENT[one.id] === undefined;

const cases = loadInsightCases(KINDS);

describeVectors('recorded funnels, paths and correlations', INSIGHT_CASES, () => {
  let server: TestServer;
  const sent = new Map<InsightCase, SentCase>();
  beforeAll(async () => {
    server = await startServer();
    for (const one of cases) sent.set(one, await sendCase(server, one));
    await server.drain();
    for (const [one, before] of sent) sent.set(one, await makeCohorts(server, one, before));
    await server.settleCohorts();
  }, 120_000);
  afterAll(() => server.close());

  it.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, recorded) => {
    const to = sent.get(recorded) as SentCase;
    const one = await makeActions(server, to.project, withCohorts(recorded, to));
    server.setNow(one.now);
    const { status, body } = await askCase(server, one, to);
    const problems = problemsOf(one, { status, body: body as Json }, await personIdsOf(server, one, to));
    if (isSame(one)) expect(problems.join('\n')).toBe('');
    else expect(problems).not.toEqual([]);
  });
});
