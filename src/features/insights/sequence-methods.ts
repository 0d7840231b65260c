import { countFunnel } from './funnel/count-funnel.ts';
import { countPaths } from './paths/count-paths.ts';

/** What the second thread can do: pure work on columns of numbers. */
export const sequenceMethods = { countFunnel, countPaths };

export type SequenceMethods = typeof sequenceMethods;
