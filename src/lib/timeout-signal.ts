/**
 * Aborted after this time, with a `TimeoutError`. Not `AbortSignal.timeout`: where `AbortSignal.any` joins it with
 * another signal, Node 20 has only a weak reference to it, and it never comes once garbage was collected.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const late = new AbortController();
  const reason = new DOMException(`It took longer than ${ms} ms.`, 'TimeoutError');
  setTimeout(() => late.abort(reason), ms).unref();
  return late.signal;
}
