import { ApiError } from '../api/api-error.ts';
import { saveFile } from './save-file.ts';

interface SaveOptions {
  onLines(lines: number): void;
  signal: AbortSignal;
}

/** Downloads a file and lets the browser save it. Returns the number of rows without the header. */
export async function saveCsv(href: string, name: string, { onLines, signal }: SaveOptions): Promise<number> {
  const response = await fetch(href, { credentials: 'same-origin', signal });
  if (!response.ok || response.body === null) {
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new ApiError(detail ?? `The server responded with status ${response.status}.`, { status: response.status });
  }
  const chunks: BlobPart[] = [];
  let lines = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    lines += countLineEnds(value);
    onLines(Math.max(0, lines - 1));
  }
  saveFile(new Blob(chunks, { type: 'text/csv' }), name);
  return Math.max(0, lines - 1);
}

/** Approximate: a value with a line break counts as two rows. */
function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}
