import { expect, describe as group, it } from 'vitest';
import { formatProgress, showProgress } from './progress.ts';

group('progress bar', () => {
  it.each([
    [0, 1000, 0, `events${' '.repeat(18)} ${'░'.repeat(30)}   0%  0 of 1,000`],
    [500, 1000, 3000, `events${' '.repeat(18)} ${'█'.repeat(15)}${'░'.repeat(15)}  50%  500 of 1,000, 3 s left`],
    [1, 1000, 1000, `events${' '.repeat(18)} ${'░'.repeat(30)}   0%  1 of 1,000, 17 min left`],
    [1000, 1000, 9000, `events${' '.repeat(18)} ${'█'.repeat(30)} 100%  1,000 of 1,000`],
    [0, 0, 0, `events${' '.repeat(18)} ${'█'.repeat(30)} 100%  0 of 0`],
  ])('shows %d of %d after %d ms', (done, total, tookMs, text) => {
    expect(formatProgress('events', done, total, tookMs)).toBe(text);
  });

  it('is redrawn on a terminal, and printed as a line elsewhere', () => {
    for (const isTTY of [true, false]) {
      const written: string[] = [];
      const progress = showProgress({ isTTY, write: (text) => written.push(text) });
      progress.begin('persons', 2);
      progress.add(2);
      progress.end();
      const text = written.join('');
      expect([text.includes('\r'), text.endsWith('\n'), text.includes('2 of 2')]).toEqual([isTTY, true, true]);
    }
  });
});
