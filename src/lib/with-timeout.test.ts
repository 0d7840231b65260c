import { describe, expect, it } from 'vitest';
import { withTimeout } from './with-timeout.ts';
import { wrapMethods } from './wrap-methods.ts';

class Store {
  readonly #calls: unknown[][] = [];
  calls(): unknown[][] {
    return this.#calls;
  }
  get(...args: unknown[]): Promise<string> {
    this.#calls.push(['get', ...args]);
    return Promise.resolve('found');
  }
  refresh(...args: unknown[]): void {
    this.#calls.push(['refresh', ...args]);
  }
  hang(): Promise<never> {
    return new Promise(() => undefined);
  }
}

const limited = (store: Store) =>
  withTimeout(store, {
    timeoutMs: 20,
    failFastMs: 50,
    error: () => new Error('too slow'),
    except: ['refresh', 'calls'],
  });

describe('wrapMethods', () => {
  it('passes all arguments, and tells which method is called', async () => {
    const names: string[] = [];
    const store = wrapMethods(new Store(), (call, name) => {
      names.push(name);
      return call();
    });
    expect(await store.get(1, 'two', { three: 3 })).toBe('found');
    store.refresh(['a', 'b'], undefined);
    expect(store.calls()).toEqual([
      ['get', 1, 'two', { three: 3 }],
      ['refresh', ['a', 'b'], undefined],
    ]);
    expect(names).toEqual(['get', 'refresh', 'calls']);
  });

  it('wraps the methods of plain objects', () => {
    const wrapped = wrapMethods({ add: (a: number, b: number) => a + b }, (call) => call());
    expect(wrapped.add(1, 2)).toBe(3);
  });
});

describe('withTimeout', () => {
  it('passes all arguments, also of methods without a limit', async () => {
    const store = limited(new Store());
    expect(await store.get(1, 2)).toBe('found');
    store.refresh(['a'], 'b');
    expect(store.calls()).toEqual([
      ['get', 1, 2],
      ['refresh', ['a'], 'b'],
    ]);
  });

  it('rejects a call that takes too long, then fails fast, then tries again', async () => {
    const store = limited(new Store());
    await expect(store.hang()).rejects.toThrow('too slow');
    await expect(store.get(1)).rejects.toThrow('too slow');
    store.refresh();
    expect(store.calls()).toEqual([['refresh']]);
    await expect.poll(() => store.get(2)).toBe('found');
  });
});
