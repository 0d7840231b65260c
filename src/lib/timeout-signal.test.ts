import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { timeoutSignal } from './timeout-signal.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('comes with a reason, also when it was joined with another signal and garbage was collected', async () => {
  const other = new AbortController();
  const reason = new Promise<unknown>((resolve) => {
    const joined = AbortSignal.any([other.signal, timeoutSignal(100)]);
    joined.addEventListener('abort', () => resolve(joined.reason));
  });
  await sleep(10);
  collectGarbage();
  const kept = setTimeout(() => undefined, 60_000);
  expect(await reason).toMatchObject({ name: 'TimeoutError', message: 'It took longer than 100 ms.' });
  clearTimeout(kept);
});
