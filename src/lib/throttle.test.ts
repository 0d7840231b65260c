import { beforeEach, describe, expect, it } from 'vitest';
import { Throttle } from './throttle.ts';

describe('three attempts a minute', () => {
  let now = 0;
  let throttle: Throttle;
  const attempt = (name: string): void => throttle.record(name);
  beforeEach(() => {
    now = 1_000_000;
    throttle = new Throttle({ now: () => now }, 3, 60_000);
  });

  it('lets the first three through', () => {
    for (let i = 0; i < 3; i++) {
      expect(throttle.secondsUntilAllowed('ada')).toBe(0);
      attempt('ada');
    }
    expect(throttle.secondsUntilAllowed('ada')).toBe(60);
  });

  it('counts down in whole seconds, and opens when the oldest attempt is a minute ago', () => {
    attempt('ada');
    now += 10_000;
    attempt('ada');
    attempt('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(50);
    now += 49_001;
    expect(throttle.secondsUntilAllowed('ada')).toBe(1);
    now += 999;
    expect(throttle.secondsUntilAllowed('ada')).toBe(0);
  });

  it('slides: the attempts that are still young keep counting', () => {
    attempt('ada');
    now += 59_000;
    attempt('ada');
    attempt('ada');
    now += 2_000;
    expect(throttle.secondsUntilAllowed('ada')).toBe(0);
    attempt('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(58);
  });

  it('counts each name for itself', () => {
    for (let i = 0; i < 3; i++) attempt('ada');
    expect(throttle.secondsUntilAllowed('grace')).toBe(0);
  });

  it('resets a name', () => {
    for (let i = 0; i < 3; i++) attempt('ada');
    throttle.reset('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(0);
  });

  it('survives many names, and keeps the recent ones', () => {
    for (let i = 0; i < 10_000; i++) attempt(`old ${i}`);
    now += 61_000;
    for (let i = 0; i < 3; i++) attempt('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(60);
    expect(throttle.secondsUntilAllowed('old 1')).toBe(0);
  });

  it('undoes an attempt', () => {
    for (let i = 0; i < 3; i++) attempt('ada');
    throttle.undo('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(0);
    attempt('ada');
    expect(throttle.secondsUntilAllowed('ada')).toBe(60);
    for (let i = 0; i < 5; i++) throttle.undo('ada');
    expect([throttle.secondsUntilAllowed('ada'), throttle.size]).toEqual([0, 0]);
  });

  it('takes bounded memory, however many names are tried', () => {
    for (let i = 0; i < 15_000; i++) attempt(`name ${i}`);
    expect(throttle.size).toBe(10_000);
    for (let i = 0; i < 3; i++) attempt('name 14999');
    expect(throttle.secondsUntilAllowed('name 14999')).toBe(60);
  });
});
