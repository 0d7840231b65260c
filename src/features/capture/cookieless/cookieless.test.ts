import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeVectors } from '../../../../test/support/vectors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { rootDomain } from '../rules/root-domain.ts';
import { Cookieless } from './cookieless.ts';
import { CookielessSalts, saltFolder } from './salts.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-salts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const clock = { time: 0, now: () => clock.time };
const at = (iso: string): number => (clock.time = Date.parse(iso));
const fresh = () => new CookielessSalts(saltFolder(folder), clock);

describe('salts', () => {
  it('are the same for a day, also after a restart, and differ between days', async () => {
    at('2026-03-10T12:00:00Z');
    const salt = await fresh().get('2026-03-10');
    expect(salt).toHaveLength(16);
    expect(await fresh().get('2026-03-10')).toEqual(salt);
    expect(await fresh().get('2026-03-11')).not.toEqual(salt);
  });

  it.each([
    ['2026-03-09T09:59:59Z', false],
    ['2026-03-09T10:00:00Z', true],
    ['2026-03-11T13:59:59Z', true],
    ['2026-03-11T14:00:00Z', false],
  ])('exist while it is the day somewhere: at %s %s', async (now, exists) => {
    at(now);
    expect((await fresh().get('2026-03-10')) !== undefined).toBe(exists);
  });

  it('are overwritten and removed when their time is over', async () => {
    at('2026-03-10T12:00:00Z');
    const salts = fresh();
    const held = await salts.get('2026-03-10');
    const bytes = Buffer.from(held ?? []);
    at('2026-03-11T13:59:59Z');
    await salts.destroyOld();
    expect(readdirSync(folder)).toContain('2026-03-10');
    at('2026-03-11T14:00:00Z');
    await salts.destroyOld();
    expect(readdirSync(folder)).not.toContain('2026-03-10');
    expect(held).toEqual(Buffer.alloc(16));
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name))).not.toEqual(bytes);
    expect(await salts.get('2026-03-10')).toBeUndefined();
  });
});

interface VectorEvent {
  event: string;
  timestamp: string;
  ip: string | null;
  user_agent: string;
  host: string;
  timezone?: string;
  extra?: string;
  distinct_id?: string;
  uuid?: string;
  received_at?: string;
}

interface Vectors {
  cases: {
    id: string;
    kind: string;
    host: string;
    project: { id: number; timezone: string; cookieless_server_hash_mode: 0 | 1 | 2 };
    events: VectorEvent[];
    expect: {
      root_domain: string;
      distinct: (string | null)[];
      session: (string | null)[];
      dropped: (string | null)[];
    };
  }[];
}

/** Names values by the order in which they come: c0, c1 … */
function named(letter: string, values: readonly (string | null)[]): (string | null)[] {
  const names = [...new Set(values.filter((value) => value !== null))];
  return values.map((value) => (value === null ? null : `${letter}${names.indexOf(value)}`));
}

async function identified({ project, events }: Vectors['cases'][number]) {
  const known = {
    id: project.id,
    timezone: project.timezone,
    cookielessServerHashMode: project.cookieless_server_hash_mode,
  };
  const cookieless = new Cookieless(fresh());
  const results: JsonObject[] = [];
  for (const one of events) {
    const receivedAt = at(one.received_at ?? one.timestamp);
    const properties: JsonObject = {
      $cookieless_mode: true,
      $raw_user_agent: one.user_agent,
      $host: one.host,
      ...(one.timezone && { $timezone: one.timezone }),
      ...(one.extra && { $cookieless_extra: one.extra }),
    };
    const event = { event: one.event, distinct_id: '$posthog_cookieless', timestamp: one.timestamp, properties };
    const source = { address: one.ip, userAgent: undefined, origin: undefined, receivedAt, sentAt: null };
    results.push(await cookieless.complete(known as Project, event, source, {}));
  }
  return results;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

describeVectors<Vectors>('recorded cases', 'web-analytics.json', ({ cases }) => {
  const ofKind = (kind: string) => cases.filter((one) => one.kind === kind).map((one) => [one.id, one] as const);

  it.each(ofKind('root_domain'))('%s', (_, { host, expect: { root_domain: root } }) => {
    expect(rootDomain(host)).toBe(root);
  });

  // Without sign-ins, which need state, and without those whom cookies tell apart.
  const anonymous = ofKind('cookieless').filter(([, { events }]) =>
    events.every(({ distinct_id: id }) => id === undefined),
  );
  it.each(anonymous)('%s', async (_, one) => {
    const results = await identified(one);
    const refusals = results.map(({ $cairn_refused: refused }) =>
      text((refused as JsonObject | undefined)?.['reason']),
    );
    expect(refusals).toEqual(one.expect.dropped);
    const ids = results.map(({ distinct_id: id }, i) => (refusals[i] === null ? text(id) : null));
    expect(named('c', ids)).toEqual(one.expect.distinct);
    expect(JSON.stringify(results)).not.toContain(one.events[0]?.user_agent);
  });
});
