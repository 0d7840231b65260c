/**
 * How far the log has been processed. Projects take turns, so one with few entries may be ahead of one with many; within
 * a project, entries are always processed in order.
 */
export interface LogProgress {
  /** Every entry up to here has been processed. */
  position: number;
  /** Projects that have been processed further: project → last entry. */
  ahead: ReadonlyMap<number, number>;
}

interface EntryKey {
  projectId: number;
  seq: number;
}

export const progressAt = (position: number): LogProgress => ({ position, ahead: new Map() });

export const processedUpTo = ({ position, ahead }: LogProgress, projectId: number): number =>
  Math.max(position, ahead.get(projectId) ?? 0);

export const isProcessed = (progress: LogProgress, { projectId, seq }: EntryKey): boolean =>
  seq <= processedUpTo(progress, projectId);

/** Whether `a` includes an entry that `b` does not. Of two states of one log, one always includes the other. */
export const isPast = (a: LogProgress, b: LogProgress): boolean =>
  a.position > b.position || [...a.ahead].some(([projectId, seq]) => seq > processedUpTo(b, projectId));

/** After these entries; `position` as before. */
export function withProcessed({ position, ahead }: LogProgress, entries: readonly EntryKey[]): LogProgress {
  const next = new Map(ahead);
  for (const { projectId, seq } of entries) next.set(projectId, Math.max(seq, next.get(projectId) ?? 0));
  return { position, ahead: next };
}

/** Everything up to `position` is processed: projects that were ahead may no longer be. */
export const withPosition = ({ ahead }: LogProgress, position: number): LogProgress => ({
  position,
  ahead: new Map([...ahead].filter(([, seq]) => seq > position)),
});

/** As it is stored beside the position. */
export const aheadToText = (ahead: LogProgress['ahead'] = new Map()): string =>
  JSON.stringify(Object.fromEntries(ahead));

export const aheadFromText = (text: string): LogProgress['ahead'] =>
  new Map(Object.entries(JSON.parse(text) as Record<string, number>).map(([id, seq]) => [Number(id), seq]));
