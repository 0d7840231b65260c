import { ApiError } from '../api/api-error.ts';

export interface SaveOptions {
  onLines(lines: number): void;
  signal: AbortSignal;
}

/** Reads a file of the server and hands it to the browser to save; says how many rows it has, without their head. */
export async function saveCsv(href: string, name: string, { onLines, signal }: SaveOptions): Promise<number> {
  const response = await fetch(href, { credentials: 'same-origin', signal });
  if (!response.ok || response.body === null) {
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new ApiError(detail ?? `The server answered ${response.status}.`, { status: response.status });
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
  offer(new Blob(chunks, { type: 'text/csv' }), name);
  return Math.max(0, lines - 1);
}

/** Lines rather than rows: a value with a line break in it counts as two. It is for watching, not for reckoning. */
function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

function offer(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser needs the address until it has begun to save.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
