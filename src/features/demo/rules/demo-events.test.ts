import { describe, expect, it } from 'vitest';
import { demoClubEvents, demoEventsOf, toWireEvent } from './demo-events.ts';

const NOW = Date.UTC(2026, 4, 20, 15, 30);
const STAGE = { now: NOW, days: 60 };
const VISITORS = Array.from({ length: 400 }, (_, index) => index + 1);
const STORY = VISITORS.flatMap((visitor) => demoEventsOf(visitor, STAGE));
const count = (event: string): number => STORY.filter((one) => one.event === event).length;

describe('the demo story', () => {
  it('is the same each time', () => {
    expect(VISITORS.flatMap((visitor) => demoEventsOf(visitor, STAGE))).toEqual(STORY);
  });

  it('happens in the days before now, in order for each visitor', () => {
    for (const visitor of VISITORS) {
      const times = demoEventsOf(visitor, STAGE).map(({ time }) => time);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
    const times = STORY.map(({ time }) => time);
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW);
    expect(Math.min(...times)).toBeGreaterThan(NOW - 62 * 86_400_000);
  });

  it('narrows from visits to upgrades', () => {
    const funnel = ['$pageview', 'signed up', 'hike planned', 'plan upgraded'];
    const people = funnel.map(
      (event) => new Set(STORY.filter((one) => one.event === event).map((one) => one.distinctId)).size,
    );
    expect(people).toEqual(people.toSorted((a, b) => b - a));
    expect(people.at(-1)).toBeGreaterThan(0);
    expect(count('$identify')).toBe(count('signed up'));
  });

  it('has a session for each visit, of less than an hour', () => {
    for (const visitor of VISITORS) {
      const events = demoEventsOf(visitor, STAGE);
      const ids = [...new Set(events.map(({ properties }) => properties['$session_id']))];
      expect(ids).toEqual(ids.map((_, index) => `demo-session-${visitor}-${index + 1}`));
      for (const id of ids) {
        const times = events.filter(({ properties }) => properties['$session_id'] === id).map(({ time }) => time);
        expect(Math.max(...times) - Math.min(...times)).toBeLessThan(3_600_000);
      }
    }
    expect(new Set(STORY.map(({ properties }) => properties['$session_id'])).size).toBeGreaterThan(VISITORS.length);
  });

  it('names nobody but demo hikers', () => {
    const ids = [...STORY, ...demoClubEvents(STAGE)].map(({ distinctId }) => distinctId);
    expect(ids.filter((id) => !/^(?:demo-device-\d+|hiker-\d+@demo\.example)$/.test(id))).toEqual([]);
  });

  it('gives each event an id of its own, which it keeps', () => {
    const ids = STORY.map((event) => toWireEvent(1, 0, event)['uuid']);
    expect(new Set(ids).size).toBe(STORY.length);
    expect(toWireEvent(1, 0, STORY[0] as never)).toMatchObject({ uuid: ids[0], properties: { demo: true } });
    expect(toWireEvent(2, 0, STORY[0] as never)['uuid']).not.toBe(ids[0]);
    // After a removal it is another one.
    expect(toWireEvent(1, 1, STORY[0] as never)['uuid']).not.toBe(ids[0]);
  });
});
