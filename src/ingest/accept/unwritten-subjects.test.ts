import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { UnwrittenSubjects } from './unwritten-subjects.ts';

function entry() {
  let [succeed, fail]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const written = new Promise<void>((resolve, reject) => {
    [succeed, fail] = [resolve, reject];
  });
  return { written, succeed, fail };
}

it('waits for the last entry about a subject of the project, also if it is refused', async () => {
  const subjects = new UnwrittenSubjects();
  const [first, second] = [entry(), entry()];
  subjects.add(1, ['ada', 'bob'], first.written);
  subjects.add(1, ['ada'], second.written);
  const ended: string[] = [];
  const wait = (name: string) => subjects.written(1, [name])?.then(() => ended.push(name));
  const both = [wait('ada'), wait('bob')];
  expect([subjects.written(2, ['ada']), subjects.written(1, ['eve']), subjects.written(1, [])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  first.succeed();
  await nextTurn();
  expect(ended).toEqual(['bob']);
  expect(subjects.written(1, ['bob'])).toBeUndefined();
  second.fail(new Error('the disk is full'));
  await Promise.all(both);
  expect(ended).toEqual(['bob', 'ada']);
  expect(subjects.written(1, ['ada', 'bob'])).toBeUndefined();
});
