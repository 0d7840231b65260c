import { describe, expect, it } from 'vitest';
import { ProjectShares } from './project-shares.ts';

const [A, B] = [1, 2];
const FULL = 7000;

describe('the share of a project', () => {
  it('does not matter while the log is at most half full', () => {
    const shares = new ProjectShares(100);
    shares.add(1, A, 50);
    expect(() => shares.requireRoom(A, 50)).not.toThrow();
  });

  it('is a quarter beyond that', () => {
    const shares = new ProjectShares(100);
    shares.add(1, A, 26);
    shares.add(2, B, 25);
    expect(() => shares.requireRoom(A, 51)).toThrow('Too many events of this project');
    expect(() => shares.requireRoom(B, 51)).not.toThrow();
    expect(() => shares.requireRoom(3, 51)).not.toThrow();
  });

  it('is free again once its entries are processed', () => {
    const shares = new ProjectShares(8000);
    for (let seq = 1; seq <= 3000; seq++) shares.add(seq, seq <= 2000 ? A : B, 2);
    expect(() => shares.requireRoom(A, FULL)).toThrow();
    shares.onProcessed(1500);
    expect(() => shares.requireRoom(A, FULL)).not.toThrow();
    shares.onProcessed(3000);
    shares.add(3001, A, 3000);
    expect(() => shares.requireRoom(A, FULL)).toThrow();
    shares.onProcessed(3001);
    expect(() => shares.requireRoom(A, FULL)).not.toThrow();
  });
});
