import type { RunningProcess } from './processes.ts';

const PAUSE_MS = 20;

/** Resolves once no accepted event waits to be processed. */
export async function untilProcessed({ url }: RunningProcess): Promise<void> {
  const pending = async (): Promise<number> =>
    ((await (await fetch(`${url}/_status`)).json()) as { ingest: { pending: number } }).ingest.pending;
  while ((await pending()) > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
