/** The second thread for funnels and paths: it counts half of the actors, and opens no store. */
import { parentPort } from 'node:worker_threads';
import { sequenceMethods } from '../features/insights/sequence-methods.ts';
import { serve } from '../lib/rpc.ts';

if (parentPort) serve(parentPort, sequenceMethods);
