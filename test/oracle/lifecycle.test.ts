import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { readLifecycleQuestion } from '../../src/features/insights/lifecycle/rules/read-lifecycle.ts';
import { context, worldFromLines } from '../support/world-from-lines.ts';
import { answerLifecycle } from './lifecycle.ts';
import type { World } from './world.ts';

const VISITS = { events: [{ id: 'visit' }] };

describe('lifecycle', () => {
  const data = (world: World, fields: JsonObject = {}) => {
    const question = readLifecycleQuestion(
      { ...VISITS, date_from: '2024-05-06', date_to: '2024-05-10', ...fields },
      context(),
    );
    return Object.fromEntries(answerLifecycle(question, world).map((item) => [item.status, item.data]));
  };

  it('follows persons from interval to interval', () => {
    const world = worldFromLines(`
      old visit 04-01 10:00
      old visit 05-05 10:00
      old visit 05-06 10:00
      old visit 05-09 10:00
      ann visit 05-07 10:00
      ann visit 05-08 10:00
      nobody visit 05-07 10:00
    `);
    expect(data(world)).toEqual({
      new: [0, 1, 0, 0, 0],
      returning: [1, 0, 1, 0, 0],
      resurrecting: [0, 0, 0, 1, 0],
      dormant: [0, -1, 0, -1, -1],
    });
  });

  it('starts weeks on Monday', () => {
    const world = worldFromLines('ann visit 05-05 10:00\nann visit 05-06 10:00');
    expect(data(world, { interval: 'week' })).toMatchObject({ returning: [1], new: [0] });
  });
});
