import { build } from '../../scripts/build.js';

/** The worker thread runs built code: Node 20 cannot start a thread from TypeScript. */
export async function setup(): Promise<void> {
  await build();
}
