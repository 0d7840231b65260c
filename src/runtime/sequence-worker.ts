/**
 * The second thread: it counts half of the actors of funnels and paths, and views of sites. It opens no store.
 */
import { parentPort } from 'node:worker_threads';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { webThreadMethods } from '../features/web-analytics/thread-methods.ts';
import { serve } from '../lib/rpc.ts';

if (parentPort) serve(parentPort, { ...sequenceMethods, ...webThreadMethods });
