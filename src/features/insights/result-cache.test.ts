import { describe, expect, it } from 'vitest';
import { ResultCache } from './result-cache.ts';

const neverAborted = new AbortController().signal;

function makeCache(maxBytes?: number) {
  let now = 1000;
  const cache = new ResultCache({ now: () => now }, maxBytes);
  let worked = 0;
  const ask = (question: string, over: object = {}) =>
    cache.getOrCompute({ projectId: 1, question, refresh: false, signal: neverAborted, ...over }, async () => ++worked);
  return { cache, ask, setNow: (at: number) => (now = at), worked: () => worked };
}

describe('cached answers', () => {
  it('are returned with the time when they were computed', async () => {
    const { ask, setNow } = makeCache();
    expect(await ask('a')).toEqual({ answer: 1, isCached: false, computedAt: 1000 });
    setNow(2000);
    expect(await ask('a')).toEqual({ answer: 1, isCached: true, computedAt: 1000 });
    expect(await ask('b')).toEqual({ answer: 2, isCached: false, computedAt: 2000 });
  });

  it('are computed again on request, and cached', async () => {
    const { ask } = makeCache();
    await ask('a');
    expect(await ask('a', { refresh: true })).toMatchObject({ answer: 2, isCached: false });
    expect(await ask('a')).toMatchObject({ answer: 2, isCached: true });
  });

  it('belong to one project, until it changes', async () => {
    const { cache, ask } = makeCache();
    await ask('a');
    await ask('a', { projectId: 2 });
    cache.invalidate(1);
    expect(await ask('a')).toMatchObject({ answer: 3, isCached: false });
    expect(await ask('a', { projectId: 2 })).toMatchObject({ answer: 2, isCached: true });
    cache.invalidateAll();
    expect(await ask('a', { projectId: 2 })).toMatchObject({ answer: 4, isCached: false });
  });

  it('are outdated at once if the project changes while they are computed', async () => {
    const { cache, ask } = makeCache();
    const options = { projectId: 1, question: 'a', refresh: false, signal: neverAborted };
    const slow = cache.getOrCompute(options, async () => {
      cache.invalidate(1);
      return 'old';
    });
    expect(await slow).toMatchObject({ answer: 'old', isCached: false });
    expect(await ask('a')).toMatchObject({ answer: 1, isCached: false });
  });

  it('are not replaced by older ones that finish later', async () => {
    const { cache, ask } = makeCache();
    let finish: (answer: string) => void = () => undefined;
    const slow = cache.getOrCompute(
      { projectId: 1, question: 'a', refresh: false, signal: neverAborted },
      () => new Promise<string>((resolve) => (finish = resolve)),
    );
    cache.invalidate(1);
    expect(await ask('a')).toMatchObject({ answer: 1, isCached: false });
    finish('old');
    expect(await slow).toMatchObject({ answer: 'old' });
    expect(await ask('a')).toMatchObject({ answer: 1, isCached: true });
  });

  it('are computed once for concurrent callers, but again after a change', async () => {
    const { cache, ask, worked } = makeCache();
    const both = [ask('a'), ask('a'), ask('a', { refresh: true })];
    cache.invalidate(1);
    const later = ask('a');
    expect((await Promise.all(both)).map(({ answer }) => answer)).toEqual([1, 1, 1]);
    expect([(await later).answer, worked()]).toEqual([2, 2]);
  });

  it('cannot be changed by callers', async () => {
    const { cache } = makeCache();
    const ask = () =>
      cache.getOrCompute({ projectId: 1, question: 'a', refresh: false, signal: neverAborted }, async () => ({
        list: [1, NaN],
      }));
    (await ask()).answer.list.push(2);
    (await ask()).answer.list.push(3);
    expect((await ask()).answer).toEqual({ list: [1, NaN] });
  });

  it('are evicted in the order of their last use', async () => {
    const { ask } = makeCache(1000);
    for (const question of ['a', 'b', 'c']) await ask(question);
    expect((await ask('a')).isCached).toBe(true);
    for (const question of ['d', 'e']) await ask(question);
    expect((await ask('a')).isCached).toBe(true);
    expect((await ask('b')).isCached).toBe(false);
  });

  it('are not cached when they failed', async () => {
    const { cache, ask } = makeCache();
    const options = { projectId: 1, question: 'a', refresh: false, signal: neverAborted };
    await expect(cache.getOrCompute(options, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await ask('a')).toMatchObject({ answer: 1, isCached: false });
  });

  it('are computed until the last waiting caller is gone', async () => {
    const { cache, ask } = makeCache();
    const [one, other] = [new AbortController(), new AbortController()];
    let stopped = false;
    const wait = (signal: AbortSignal) =>
      cache.getOrCompute({ projectId: 1, question: 'a', refresh: false, signal }, (stop) => {
        stop.addEventListener('abort', () => {
          stopped = true;
        });
        return new Promise(() => undefined);
      });
    const waiting = [wait(one.signal), wait(other.signal)];
    one.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');
    expect(stopped).toBe(false);
    other.abort(new Error('gone too'));
    await expect(waiting[1]).rejects.toThrow('gone too');
    expect(stopped).toBe(true);
    expect(await ask('a')).toMatchObject({ answer: 1, isCached: false });
  });
});
