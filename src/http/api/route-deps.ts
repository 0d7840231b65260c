import type { CallerDeps } from '../../access/callers.ts';
import type { KeyGuard } from '../../access/key-guard.ts';
import type { KeyRate } from './key-rate.ts';

/** What every private route needs; features add what their handlers use. */
export interface RouteDeps extends CallerDeps {
  keys: KeyGuard;
  keyRate: KeyRate;
  config: { publicUrl: string | null; maxBodyBytes: number };
  /** Hears of every change to a project, so that no answer is kept longer than it is true. */
  results: { invalidate(projectId: number): void };
}
