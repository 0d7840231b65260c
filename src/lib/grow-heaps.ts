/**
 * Lets each heap grow to four times what lives in it before V8 collects all of it, the most that V8 chooses by itself. It
 * chose much less for the thread that answers: bodies of requests are memory outside of the heap and garbage a moment
 * later, but they count, and after 13 MB of them a collection was due. Under batches of events that was one every 150 ms,
 * a fifth of the thread's CPU time and as much of V8's helpers (docs/decisions/0128).
 */
import { setFlagsFromString } from 'node:v8';

/**
 * For all threads of the process. Call it once they have loaded their programs, since V8 refuses code that was compiled
 * with other flags (docs/decisions/0120).
 */
export const growHeaps = (): void => setFlagsFromString('--heap-growing-percent=300');
