/**
 * The second thread: it counts half of the actors of funnels and paths, measures half of those of experiments, and
 * counts views of sites. It opens no store.
 */
import { parentPort } from 'node:worker_threads';
import { experimentThreadMethods } from '../features/experiments/thread-methods.ts';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { webThreadMethods } from '../features/web-analytics/thread-methods.ts';
import { serve } from '../lib/rpc.ts';

if (parentPort) serve(parentPort, { ...sequenceMethods, ...webThreadMethods, ...experimentThreadMethods });
