/** Flags as a file on the command line, and TypeScript types of them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cairn, cairnJson, makeScratch } from '../support/cairn.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const scratch = makeScratch();
const root = new URL('../..', import.meta.url).pathname;
let server: TestServer;
let other: number;
let run: (...args: string[]) => ReturnType<typeof cairn>;
beforeAll(async () => {
  server = await startServer();
  other = (await server.createProject({ name: 'Production' })).projectId;
  run = (...args) => cairn(['flags', ...args, '--data-dir', server.dataDir]);
  const client = clientFor(server);
  const variants = ['red', 'blue'].map((key) => ({ key, rollout_percentage: 50 }));
  const filters = {
    groups: [{ rollout_percentage: 50 }],
    multivariate: { variants },
    payloads: { red: '{"hex":"#f00"}' },
  };
  await client.post('/api/projects/1/feature_flags/', { body: { key: 'colours', name: 'Which */ colour', filters } });
  await client.post('/api/projects/1/feature_flags/', { body: { key: 'new-cart', filters: { groups: [{}] } } });
  const payload_schema = {
    type: 'object',
    properties: { steps: { type: 'array', items: { enum: ['cart', 'pay'] } }, title: { type: ['string', 'null'] } },
    required: ['steps'],
  };
  const checkout = { groups: [{}], payloads: { true: '{"steps":["pay"]}' }, payload_schema };
  await client.post('/api/projects/1/feature_flags/', { body: { key: 'checkout', filters: checkout } });
});
afterAll(async () => {
  await server.close();
  scratch.remove();
});

describe('a flags file', () => {
  it('is exported, planned, applied, and then there is nothing to do', async () => {
    const file = scratch.path('flags.json');
    expect((await run('export', '--project', '1', '--out', file)).code).toBe(0);
    expect((await run('export', '--project', '1')).stdout).toBe(readFileSync(file, 'utf8'));
    const to = ['--project', String(other)];
    const plan = await run('diff', file, ...to);
    expect([plan.code, plan.stdout]).toEqual([
      3,
      '+ create flag checkout\n+ create flag colours\n+ create flag new-cart\n',
    ]);
    expect((await run('apply', file, ...to)).code).toBe(3);
    expect((await run('apply', file, ...to, '--dry-run')).code).toBe(0);
    expect((await run('diff', file, ...to)).code).toBe(3);
    const applied = await run('apply', file, ...to, '--yes');
    expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining('3 changes applied.')]);
    expect((await run('diff', file, ...to)).code).toBe(0);
    expect((await run('apply', file, ...to, '--yes')).stdout).toBe('The project says what the file says.\n');
    writeFileSync(file, '{"format": 1, "flags": [{"key": ""}]}');
    const bad = await run('apply', file, ...to, '--yes');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('key is a text')]);
  });

  it('promotes a flag', async () => {
    const [flag] = (await clientFor(server).get('/api/projects/1/feature_flags/?search=new-cart')).body.results;
    await clientFor(server).patch(`/api/projects/1/feature_flags/${flag.id}/`, { body: { name: 'The cart' } });
    const args = ['promote', 'new-cart', '--from', '1', '--to', String(other)];
    const plan = await run(...args);
    expect([plan.code, plan.stdout]).toEqual([3, expect.stringContaining('    name: "" → "The cart"\n')]);
    expect((await run(...args, '--yes')).code).toBe(0);
    expect((await run(...args)).stdout).toContain(`new-cart says the same in project ${other}.`);
    expect((await run('promote', 'nothing', '--from', '1', '--to', String(other))).code).toBe(1);
    expect((await run('promote', 'new-cart', '--from', '1')).code).toBe(2);
  });
});

describe('a flag that was imported with its people', () => {
  it('is rehashed after a look at how many change', async () => {
    const client = clientFor(server);
    const bucketing = [{ hash: 'unleash', salt: 'moved', by: 'distinct_id', of: 100, ranges: [{ from: 0, to: 30 }] }];
    const filters = { groups: [{ properties: [], rollout_percentage: 30, bucketing }] };
    const { id } = (await client.post('/api/projects/1/feature_flags/', { body: { key: 'moved', filters } })).body;
    const events = Array.from({ length: 50 }, (_, at) => ({ event: 'seen', distinct_id: `user-${at}` }));
    await capture(server, server.projectKey, events);
    const moved = async (user: string) =>
      (await client.post('/decide/?v=3', { body: { token: server.projectKey, distinct_id: user } })).body.featureFlags
        .moved;
    const values = () => Promise.all(events.map(({ distinct_id: user }) => moved(user)));
    const before = await values();
    const plan = await run('rehash', 'moved', '--project', '1');
    expect([plan.code, plan.stderr]).toEqual([3, expect.stringContaining('Nothing was changed yet: add --yes.')]);
    expect(await values()).toEqual(before);
    expect((await run('rehash', 'moved', '--project', '1', '--dry-run')).stdout).toBe(plan.stdout);
    const done = await run('rehash', 'moved', '--project', '1', '--yes');
    expect([done.code, done.stdout, done.stderr]).toEqual([
      0,
      plan.stdout,
      expect.stringContaining('moved was rehashed.'),
    ]);
    const after = await values();
    const changed = before.filter((value, at) => value !== after[at]).length;
    const turnedOn = after.filter((value, at) => value && !before[at]).length;
    expect(plan.stdout).toContain('~ update flag moved\n    filters.groups[0].bucketing: [');
    expect(plan.stdout).toContain(`  ${changed} of 50 users get another value\n`);
    expect(plan.stdout).toContain(`    false → true: ${turnedOn}\n`);
    const { body } = await client.get(`/api/projects/1/feature_flags/${id}/`);
    expect([body.version, body.filters.groups]).toEqual([2, [{ properties: [], rollout_percentage: 30 }]]);
    const again = await run('rehash', 'moved', '--project', '1');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("hashed in Cairn's way already")]);
    const unknown = await run('rehash', 'nothing', '--project', '1', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no flag "nothing"')]);
    expect((await run('rehash', 'moved', '--yes', '--dry-run')).code).toBe(2);
    await client.patch(`/api/projects/1/feature_flags/${id}/`, { body: { deleted: true } });
  });
});

describe('types of flags', () => {
  const folder = scratch.path('code');
  const compile = (code: string): string => {
    writeFileSync(join(folder, 'use.ts'), code);
    const options =
      '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 --allowImportingTsExtensions';
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    try {
      execFileSync(process.execPath, [tsc, ...options.split(' '), 'use.ts'], { cwd: folder, encoding: 'utf8' });
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  beforeAll(async () => {
    mkdirSync(folder);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    await run('types', '--project', '1', '--out', join(folder, 'flags.ts'));
  });

  it('are the same text for the same flags', async () => {
    const text = readFileSync(join(folder, 'flags.ts'), 'utf8');
    expect(text).toMatch(/^\/\/ Definitions version \d+\./);
    expect(text).toContain("  'colours': 'red' | 'blue' | false;\n");
    expect((await run('types', '--project', '1')).stdout).toBe(text);
  });

  it('allow what is right', () => {
    const problems = compile(`
      import { OpenFeature } from '@openfeature/server-sdk';
      import posthog from 'posthog-js';
      import { PostHog } from 'posthog-node';
      import type { FeatureFlagKey, FeatureFlagPayloads } from './flags.ts';
      export const colour: 'red' | 'blue' | false | undefined = posthog.getFeatureFlag('colours');
      export const payload: { hex: string } | null | undefined = posthog.getFeatureFlagPayload('colours');
      export const cart: boolean | undefined = await new PostHog('x').getFeatureFlag('new-cart', 'u');
      export const value: boolean = await OpenFeature.getClient().getBooleanValue('new-cart', false);
      export const text: string = await OpenFeature.getClient().getStringValue('colours', 'red');
      export const keys: FeatureFlagKey[] = ['colours', 'new-cart'];
      const browser = posthog.getFeatureFlagResult('colours', { send_event: false });
      export const variant: 'red' | 'blue' | undefined = browser?.variant;
      export const colourHex: string | undefined = browser?.payload?.hex;
      export const isOn: boolean = posthog.isFeatureEnabled('new-cart', { defaultValue: true });
      if (posthog.getFeatureFlag('new-cart', { fresh: true })) console.log('on');
      const node = new PostHog('x');
      export const local: boolean | undefined = await node.getFeatureFlag('new-cart', 'u', { onlyEvaluateLocally: true });
      export const nodePayload: { hex: string } | null | undefined = await node.getFeatureFlagPayload('colours', 'u', 'red');
      export const nodeVariant: 'red' | 'blue' | undefined = (await node.getFeatureFlagResult('colours', 'u'))?.variant;
      export const nodeOn: boolean | undefined = await node.isFeatureEnabled('new-cart', 'u');
      const flags = await node.evaluateFlags('u');
      export const flag: 'red' | 'blue' | false | undefined = flags.getFlag('colours');
      export const steps: ('cart' | 'pay')[] | undefined = flags.getFlagPayload('checkout')?.steps;
      export const title: string | null | undefined = posthog.getFeatureFlagPayload('checkout')?.title;
      export const enabled: boolean = flags.isEnabled('checkout');
      // Keys that are only known when the program runs.
      declare const key: string;
      export const dynamic: (string | boolean | undefined)[] = [
        posthog.getFeatureFlag(key),
        posthog.isFeatureEnabled(key),
        await node.getFeatureFlag(key, 'u'),
        await node.isFeatureEnabled(key, 'u'),
        flags.getFlag(key),
      ];
      declare const known: FeatureFlagKey;
      export const some: 'red' | 'blue' | boolean | undefined = posthog.getFeatureFlag(known);
      export const hex = (given: FeatureFlagPayloads['colours']): string => given?.hex ?? '';
    `);
    expect(problems).toBe('');
  });

  it.each([
    [
      "import posthog from 'posthog-js'; export const a: 'green' | undefined = posthog.getFeatureFlag('colours');",
      'TS2322',
    ],
    [
      "import { PostHog } from 'posthog-node'; export const b: string | undefined = await new PostHog('x').getFeatureFlag('new-cart', 'u');",
      'TS2322',
    ],
    [
      "import { OpenFeature } from '@openfeature/server-sdk'; export const c = await OpenFeature.getClient().getBooleanValue('old-cart', false);",
      'TS2345',
    ],
    ["import type { FeatureFlagKey } from './flags.ts'; export const d: FeatureFlagKey = 'old-cart';", 'TS2322'],
    [
      "import type { FeatureFlagPayloads } from './flags.ts'; export const e = (x: FeatureFlagPayloads['colours']) => x?.rgb;",
      'TS2339',
    ],
  ])('refuse what is wrong: %s', (code, error) => {
    expect(compile(`import type {} from './flags.ts';\n${code}`)).toContain(error);
  });

  const BROWSER = "import posthog from 'posthog-js';";
  const NODE = "import { PostHog } from 'posthog-node'; const node = new PostHog('x');";
  const SNAPSHOT = `${NODE} const flags = await node.evaluateFlags('u');`;
  it.each([
    // The SDK's own signature takes any key, so what comes back cannot be used.
    [BROWSER, "if (posthog.getFeatureFlag('typo')) console.log(1);", 'TS1345'],
    [BROWSER, "if (posthog.isFeatureEnabled('typo')) console.log(1);", 'TS1345'],
    [BROWSER, "export const a = posthog.getFeatureFlag('typo') === 'red';", 'TS2367'],
    [BROWSER, "export const a: string | boolean | undefined = posthog.getFeatureFlag('typo');", 'TS2322'],
    [BROWSER, "export const a = posthog.getFeatureFlagResult('typo')?.payload;", 'TS2339'],
    [BROWSER, "export const a = posthog.getFeatureFlag('colours') === 'green';", 'TS2367'],
    [BROWSER, "export const a = posthog.getFeatureFlagResult('colours')?.variant === 'green';", 'TS2367'],
    [BROWSER, "export const a = posthog.getFeatureFlagPayload('checkout')?.steps[0] === 'ship';", 'TS2367'],
    [NODE, "export const a = await node.getFeatureFlag('typo', 'u');", 'TS2769'],
    [NODE, "export const a = await node.isFeatureEnabled('typo', 'u');", 'TS2345'],
    [NODE, "export const a = await node.getFeatureFlagPayload('colours', 'u', 'green');", 'TS2769'],
    [NODE, "export const a = (await node.getFeatureFlag('colours', 'u')) === 'green';", 'TS2367'],
    [SNAPSHOT, "if (flags.isEnabled('typo')) console.log(1);", 'TS1345'],
    [SNAPSHOT, "if (flags.getFlag('typo')) console.log(1);", 'TS1345'],
    [SNAPSHOT, "export const a = flags.getFlag('colours') === 'green';", 'TS2367'],
    [SNAPSHOT, "export const a = flags.getFlagPayload('colours')?.rgb;", 'TS2339'],
  ])('refuse wrong keys and variants in the SDKs: %s %s', (imports, code, error) => {
    const problems = compile(`import type {} from './flags.ts';\n${imports}\n${code}`);
    expect(problems.match(/^\S+ error TS\d+/gm)).toEqual([
      expect.stringMatching(`^use\\.ts\\(3,\\d+\\): error ${error}$`),
    ]);
  });

  it('are also a JSON Schema', async () => {
    const file = join(folder, 'flags.json');
    expect((await run('types', '--project', '1', '--out', file)).code).toBe(0);
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    const isValid = new Ajv2020().compile(schema);
    expect(isValid({ colours: 'red', 'new-cart': true, checkout: false })).toBe(true);
    expect(isValid({ colours: 'green' })).toBe(false);
    expect(isValid({ typo: true })).toBe(false);
    const isPayload = new Ajv2020().compile(schema.$defs.payloads);
    expect(isPayload({ colours: { hex: '#00f' }, checkout: { steps: ['cart'] }, 'new-cart': null })).toBe(true);
    expect(isPayload({ colours: { hex: 5 } })).toBe(false);
    expect(isPayload({ checkout: { steps: ['ship'] } })).toBe(false);
    expect((await run('types', '--project', '1', '--out', file, '--check')).code).toBe(0);
  });

  it('are checked against code: keys that do not exist or were deleted, with file and line', async () => {
    const code = join(folder, 'app.ts');
    writeFileSync(code, "posthog.getFeatureFlag('colours');\nposthog.isFeatureEnabled('typo');\n");
    const check = ['types', '--project', '1', '--out', join(folder, 'flags.ts'), '--check', code];
    const found = await run(...check);
    expect([found.code, found.stdout]).toEqual([3, `${code}:2: flag "typo" does not exist\n`]);
    writeFileSync(code, "posthog.getFeatureFlag('colours');\n");
    expect((await run(...check)).code).toBe(0);
    await clientFor(server).post('/api/projects/1/feature_flags/', { body: { key: 'late' } });
    expect((await run(...check)).stdout).toContain('flags.ts: outdated');
    expect(
      await cairnJson(['flags', 'types', '--project', '1', '--check', code, '--data-dir', server.dataDir]),
    ).toEqual({
      outdated: false,
      problems: [],
    });
  });
});
