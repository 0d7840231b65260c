import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../events/event.ts';
import { COOKIELESS_ID } from './cookieless-id.ts';
import {
  type CookielessVisitor,
  cookielessBaseOf,
  cookielessVisitorOf,
  identifyCookieless,
  markCookieless,
} from './cookieless-visitor.ts';

const NOON = Date.parse('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const mark = { base: 'AAAAAAAAAAAAAAAAAAAAAA', day: '2026-03-10' };
const nobody: CookielessVisitor = {
  projectId: 1,
  base: mark.base,
  expiresAt: NOON,
  signIns: 0,
  signedInAt: 0,
  sessions: [],
};

const anEvent = (name: string, distinctId: string, timestamp: number): Event => ({
  projectId: 1,
  uuid: '',
  event: name,
  distinctId,
  timestamp,
  receivedAt: timestamp,
  properties: { distinct_id: distinctId, ...(name === '$identify' && { $anon_distinct_id: COOKIELESS_ID }) },
  elementsChain: '',
  person: 'full',
});

/** Applies events one after another; returns them with the visitor's last state. */
function visit(steps: readonly (readonly [name: string, distinctId: string, minutes: number])[]) {
  let visitor = nobody;
  const events = steps.map(([name, distinctId, minutes]) => {
    const identified = identifyCookieless(visitor, anEvent(name, distinctId, NOON + minutes * MINUTE));
    visitor = identified.visitor;
    return identified.event;
  });
  return { visitor, events, sessions: events.map(({ properties }) => properties['$session_id']) };
}

describe('the mark of a logged event', () => {
  it('tells whose it is while its day lasts', () => {
    const raw = markCookieless({ event: '$pageview' }, mark);
    expect(cookielessBaseOf(raw)).toBe(mark.base);
    expect(cookielessVisitorOf(raw, { projectId: 1, receivedAt: NOON })).toEqual({
      ...nobody,
      expiresAt: Date.parse('2026-03-11T14:00:00Z'),
    });
    expect(cookielessVisitorOf(raw, { projectId: 1, receivedAt: Date.parse('2026-03-11T14:00:00Z') })).toBeUndefined();
  });

  it.each([[{}], [{ $cairn_cookieless: 'x' }], [{ $cairn_cookieless: { base: 1, day: '2026-03-10' } }]])(
    'is not taken from %j',
    (raw) => {
      expect(cookielessBaseOf(raw as never)).toBeUndefined();
      expect(cookielessVisitorOf(raw as never, { projectId: 1, receivedAt: NOON })).toBeUndefined();
    },
  );

  it.each(['', 'tomorrow', '9999-01-01'])('has a day that can be: not %j', (day) => {
    expect(
      cookielessVisitorOf(markCookieless({}, { ...mark, day }), { projectId: 1, receivedAt: NOON }),
    ).toBeUndefined();
  });
});

describe('sessions', () => {
  it('go on for half an hour after the last event, and begin with their first', () => {
    const { sessions } = visit([
      ['$pageview', COOKIELESS_ID, 0],
      ['$pageview', COOKIELESS_ID, 30],
      ['$pageview', COOKIELESS_ID, 60.1],
    ]);
    expect(sessions[1]).toBe(sessions[0]);
    expect(sessions[2]).not.toBe(sessions[0]);
    const startOf = (id: unknown) => Number.parseInt(String(id).replaceAll('-', '').slice(0, 12), 16);
    expect(startOf(sessions[0])).toBe(NOON);
    expect(startOf(sessions[2])).toBe(NOON + 60.1 * MINUTE);
    expect(sessions[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('take what comes late', () => {
    const { sessions, visitor } = visit([
      ['$pageview', COOKIELESS_ID, 20],
      ['$pageview', COOKIELESS_ID, 0],
      ['$pageview', COOKIELESS_ID, 50],
    ]);
    expect(new Set(sessions).size).toBe(1);
    expect(visitor.sessions).toMatchObject([{ lastAt: NOON + 50 * MINUTE }]);
  });
});

describe('sign-ins', () => {
  it('belong to the visit before them; whoever signs out is somebody new', () => {
    const { events, visitor, sessions } = visit([
      ['$pageview', COOKIELESS_ID, 0],
      ['$identify', 'ada', 1],
      ['paid', 'ada', 2],
      ['$pageview', COOKIELESS_ID, 3],
    ]);
    const [before, signIn, after, next] = events.map(({ distinctId }) => distinctId);
    expect([signIn, after]).toEqual(['ada', 'ada']);
    expect(events[1]?.properties['$anon_distinct_id']).toBe(before);
    expect(events[0]?.properties['distinct_id']).toBe(before);
    expect(next).not.toBe(before);
    expect(sessions[2]).toBe(sessions[0]);
    expect(sessions[3]).not.toBe(sessions[0]);
    expect(visitor.signIns).toBe(1);
  });

  it('do not make somebody new of what was captured before and is sent after them', () => {
    const { events, sessions } = visit([
      ['$pageview', COOKIELESS_ID, 0],
      ['$identify', 'ada', 2],
      ['clicked', COOKIELESS_ID, 1],
    ]);
    expect(events[2]?.distinctId).toBe(events[0]?.distinctId);
    expect(sessions[2]).toBe(sessions[0]);
  });

  it('leave no more than two sessions to remember, however many there are', () => {
    const step = fc.tuple(
      fc.constantFrom('$pageview', '$identify', 'paid'),
      fc.constantFrom(COOKIELESS_ID, 'ada'),
      fc.integer({ min: 0, max: 600 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { visitor, events } = visit(steps);
        expect(visitor.signIns).toBe(steps.filter(([name]) => name === '$identify').length);
        expect(visitor.sessions.length).toBeLessThanOrEqual(2);
        expect(JSON.stringify(events)).not.toContain(COOKIELESS_ID);
      }),
    );
  });
});
