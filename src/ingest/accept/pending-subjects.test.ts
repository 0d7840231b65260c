import fc from 'fast-check';
import { expect, it } from 'vitest';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { PendingSubjects } from './pending-subjects.ts';

it('returns the last entry of a subject until it is processed', () => {
  const pending = new PendingSubjects(0);
  pending.add(1, 7, ['ada', 'bob']);
  pending.add(3, 7, ['ada']);
  expect(pending.lastEntryFor(7, ['ada'])).toBe(3);
  expect(pending.lastEntryFor(7, ['bob', 'nobody'])).toBe(1);
  expect(pending.lastEntryFor(8, ['ada'])).toBe(0);
  pending.removeProcessed(progressAt(1));
  expect([pending.lastEntryFor(7, ['ada']), pending.lastEntryFor(7, ['bob'])]).toEqual([3, 0]);
  pending.removeProcessed(progressAt(3));
  expect(pending.lastEntryFor(7, ['ada'])).toBe(0);
});

it('treats all subjects as pending while the log has entries from before the start', () => {
  const pending = new PendingSubjects(10);
  expect(pending.lastEntryFor(1, ['anybody'])).toBe(10);
  pending.removeProcessed(progressAt(9));
  expect(pending.lastEntryFor(1, ['anybody'])).toBe(10);
  pending.removeProcessed(progressAt(10));
  expect(pending.lastEntryFor(1, ['anybody'])).toBe(0);
});

it('treats all subjects of a project as pending where there are too many', () => {
  const pending = new PendingSubjects(0, 3);
  pending.add(1, 7, ['a', 'b']);
  pending.add(2, 7, ['c', 'd']);
  expect([pending.lastEntryFor(7, ['x']), pending.lastEntryFor(8, ['x'])]).toEqual([2, 0]);
  pending.removeProcessed(progressAt(2));
  expect(pending.lastEntryFor(7, ['x'])).toBe(0);
  pending.add(3, 7, ['e']);
  expect([pending.lastEntryFor(7, ['e']), pending.lastEntryFor(7, ['x'])]).toEqual([3, 0]);
});

it('ignores entries that are processed before they are added', () => {
  const pending = new PendingSubjects(0);
  pending.removeProcessed(progressAt(5));
  pending.add(5, 7, ['ada']);
  expect(pending.lastEntryFor(7, ['ada'])).toBe(0);
});

it('never drops a subject too early, and drops everything in the end', () => {
  const note = fc.record({
    projectId: fc.integer({ min: 1, max: 2 }),
    subjects: fc.array(fc.constantFrom('a', 'b', 'c')),
  });
  const steps = fc.array(fc.oneof(note, fc.integer({ min: 0, max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (all, limit) => {
      const pending = new PendingSubjects(0, limit);
      const notes: { seq: number; projectId: number; subjects: string[] }[] = [];
      let position = 0;
      for (const step of all) {
        if (typeof step === 'number') {
          position = Math.min(notes.length, position + step);
          pending.removeProcessed(progressAt(position));
        } else {
          const seq = notes.length + 1;
          notes.push({ seq, ...step });
          pending.add(seq, step.projectId, step.subjects);
        }
        for (const { seq, projectId, subjects } of notes) {
          for (const one of subjects)
            if (seq > position) expect(pending.lastEntryFor(projectId, [one])).toBeGreaterThanOrEqual(seq);
        }
      }
      pending.removeProcessed(progressAt(notes.length));
      expect(pending.lastEntryFor(1, ['a', 'b', 'c']) + pending.lastEntryFor(2, ['a', 'b', 'c'])).toBe(0);
    }),
  );
});
