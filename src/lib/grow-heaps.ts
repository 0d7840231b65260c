/**
 * Lets heaps grow to four times what lives in them before all of it is collected, as much as V8 allows itself. It would
 * otherwise do so for the thread that answers, too, where it knows no bodies of requests: they are memory outside of the
 * heap, each is garbage a moment later, and 13 MB of them were enough for a collection of the whole heap. Under batches of
 * events that was one every 150 ms, a fifth of the thread's CPU time and most of what V8's helpers did.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * For all threads of the process, those to come included. Once they have loaded their programs: V8 refuses code that was
 * compiled with other flags (docs/decisions/0120).
 */
export const growHeaps = (): void => setFlagsFromString('--heap-growing-percent=300');
