/** The statements on the page, kept in this browser. */
import { readStored, writeStored } from '../../lib/stored.ts';
import { DISPLAYS } from './sql-chart.ts';
import type { Cell } from './statement-cell.tsx';

const MAX_CELLS = 30;
const keyOf = (projectId: number): string => `cairn.sql-cells.${projectId}`;

export function readCells(projectId: number, first: string): Cell[] {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(projectId)) ?? '[]');
    const cells = (Array.isArray(stored) ? stored : []).slice(0, MAX_CELLS).flatMap((one, id): Cell[] => {
      const { sql, display } = (one ?? {}) as { sql?: unknown; display?: unknown };
      return typeof sql === 'string' ? [{ id, sql, display: DISPLAYS.find((name) => name === display) ?? null }] : [];
    });
    if (cells.length > 0) return cells;
  } catch {
    // As if there were none.
  }
  return [{ id: 0, sql: first, display: null }];
}

export const writeCells = (projectId: number, cells: readonly Cell[]): void =>
  writeStored(keyOf(projectId), JSON.stringify(cells.map(({ sql, display }) => ({ sql, display }))));
