import { ApiError } from '../../api/api-error.ts';
import type { SqlNode } from '../../api/sql.ts';
import { saveFile } from '../../lib/save-file.ts';

/** As a file, a statement may have more rows than on the page. */
export async function saveRows(
  projectId: number,
  query: SqlNode,
  { name, format }: { name: string; format: 'csv' | 'parquet' },
): Promise<void> {
  const response = await fetch(`/api/projects/${projectId}/query.${format}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  if (!response.ok) {
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new ApiError(detail ?? `The server responded with status ${response.status}.`, { status: response.status });
  }
  saveFile(await response.blob(), `${name}.${format}`);
}
