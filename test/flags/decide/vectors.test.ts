/** Recorded requests to /decide/ and their answers, sent to a started server. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json/json.ts';
import { capture } from '../../support/capture.ts';
import { sendJson } from '../../support/send.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { describeVectors } from '../../support/vectors.ts';

interface SentFlag {
  key: string;
  active: boolean;
  filters: JsonObject;
  ensure_experience_continuity?: boolean;
}

interface DecideCase {
  name: string;
  version: number;
  flags: SentFlag[];
  persons: Record<string, object>;
  distinct_id: string;
  group_type_mapping?: Record<string, string>;
  cohorts?: Record<string, JsonObject>;
  expected: Record<string, unknown>;
}

interface Step {
  action?: string;
  request?: Record<string, string>;
  expected?: Record<string, unknown>;
}

interface DecideVectors {
  decide: DecideCase[];
  experience_continuity: { flags: SentFlag[]; persons: Record<string, PersonCase>; steps: Step[] };
}

interface PersonCase {
  distinct_ids: string[];
  properties: object;
}

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

const addFlag = (flag: SentFlag) =>
  server.addFlag({
    key: flag.key,
    active: flag.active,
    filters: flag.filters,
    ensureExperienceContinuity: flag.ensure_experience_continuity ?? false,
  });

const ask = async (version: number, body: object) =>
  (await sendJson(server.url, `/decide/?v=${version}`, { token: server.projectKey, ...body })).json;

/** The value at a path such as `featureFlags.beta`. */
const at = (json: Record<string, Record<string, unknown>>, path: string): unknown => {
  const [outer = '', ...inner] = path.split('.');
  return inner.length === 0 ? json[outer] : json[outer]?.[inner.join('.')];
};

describeVectors<DecideVectors>('recorded cases of /decide/', 'decide-cases.json', (vectors) => {
  it.each(vectors.decide)('$name', async (one) => {
    for (const [id, properties] of Object.entries(one.persons)) {
      await capture(server, server.projectKey, [{ event: '$set', distinct_id: id, properties: { $set: properties } }]);
    }
    for (const [index, name] of Object.entries(one.group_type_mapping ?? {})) {
      await server.tamper(
        'insert into group_types (project_id, type_index, name) values (1, ?, ?)',
        Number(index),
        name,
      );
    }
    for (const criteria of Object.values(one.cohorts ?? {}))
      await server.addCohort({ filters: { properties: criteria } });
    for (const flag of one.flags) await addFlag(flag);
    const json = await ask(one.version, { distinct_id: one.distinct_id });
    for (const [path, expected] of Object.entries(one.expected)) {
      if (path === 'featureFlags_contains')
        expect(json.featureFlags).toEqual(expect.arrayContaining(expected as string[]));
      else expect([path, at(json, path)]).toEqual([path, expected]);
    }
  });

  it('experience continuity, step by step', async () => {
    const { flags, persons, steps } = vectors.experience_continuity;
    for (const flag of flags) await addFlag(flag);
    for (const { distinct_ids, properties } of Object.values(persons)) {
      const events = distinct_ids.map((id) => ({ event: '$set', distinct_id: id, properties: { $set: properties } }));
      await capture(server, server.projectKey, events);
    }
    for (const { request, expected, action } of steps) {
      if (request !== undefined) expect((await ask(2, request)).featureFlags).toMatchObject(expected ?? {});
      else {
        expect(action).toBe('attach distinct id other_id to person1');
        const alias = { event: '$create_alias', distinct_id: 'example_id', properties: { alias: 'other_id' } };
        await capture(server, server.projectKey, [alias]);
      }
    }
  });
});
