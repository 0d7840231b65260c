import { expect, it } from 'vitest';
import type { Health } from '../operate/check-health.ts';
import type { EventLoss } from '../stores/metadata/event-losses.ts';
import { checkNode } from './doctor-host.ts';
import { checkServer } from './doctor-server.ts';

const NOW = Date.UTC(2026, 0, 20);
const LOSS: EventLoss = {
  store: 'events',
  events: 12,
  receivedFrom: NOW - 60_000,
  receivedTo: NOW,
  after: 3,
  upTo: 5,
  foundAt: NOW,
  acceptedAt: null,
};
const HEALTHY: Health = {
  stores: [{ store: 'events', problem: null, detail: '3 events' }],
  counts: {
    accepted: 3,
    stored: 3,
    duplicate: 0,
    dropped: {},
    deadLettered: 0,
    lost: 0,
    pending: 0,
    labelled: { bots: 0, own: 0 },
    lagMs: 0,
  },
  losses: [],
  broken_audit: [],
  unknown_organizations: [],
  last_backup_at: '2026-01-19T00:00:00.000Z',
  last_backup_file: null,
  now: NOW,
  latest_event_at: NOW,
};

it('finds nothing in a healthy server', () => {
  expect(checkServer(HEALTHY, NOW).map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
});

it.each<[string, Partial<Health>, string, string]>([
  [
    'a store that cannot be read',
    { stores: [{ store: 'events', problem: 'torn', detail: '' }] },
    'bad',
    'cairn restore FILE',
  ],
  [
    'sessions that differ',
    { stores: [{ store: 'sessions', problem: '2 of 9 differ from their events', detail: '' }] },
    'bad',
    'made anew',
  ],
  ['events that wait', { counts: { ...HEALTHY.counts, pending: 2, lagMs: 90_000 } }, 'warning', 'waited for 90 s'],
  ['books that do not add up', { counts: { ...HEALTHY.counts, pending: -1 } }, 'bad', 'do not add up'],
  ['a loss', { losses: [LOSS] }, 'bad', 'cairn recover --accept-loss'],
  ['a changed audit log', { broken_audit: [{ organizationId: 'o', number: 3 }] }, 'bad', 'find out who'],
  [
    'a setting that names no organization',
    { unknown_organizations: [{ setting: 'OIDC_AUTO_JOIN', organization: 'x' }] },
    'bad',
    'id of an organization',
  ],
  ['dead letters', { counts: { ...HEALTHY.counts, deadLettered: 2 } }, 'warning', 'replay them'],
  ['a clock that was set back', { latest_event_at: NOW + 3_600_000 }, 'warning', 'synchronize it with NTP'],
  ['no backup', { last_backup_at: null }, 'warning', 'cairn backup FILE'],
  ['an old backup', { last_backup_at: '2026-01-01T00:00:00.000Z' }, 'warning', 'cairn backup FILE'],
])('finds %s', (_name, change, state, advice) => {
  const found = checkServer({ ...HEALTHY, ...change }, NOW).filter((one) => one.state !== 'ok');
  expect(found.map((one) => one.state)).toEqual([state]);
  expect(found[0]?.advice).toContain(advice);
});

it.each([
  ['18.20.1', 'bad'],
  ['20.18.0', 'bad'],
  ['20.19.0', 'ok'],
  ['24.1.0', 'ok'],
])('says of Node %s: %s', (version, state) => {
  expect(checkNode(version).state).toBe(state);
});
