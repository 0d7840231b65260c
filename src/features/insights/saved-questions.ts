import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Interval } from '../../core/time/interval.ts';
import type { Project } from '../../stores/metadata/accounts.ts';

/** Answers questions of saved insights for others than their readers: alerts, shared pages, digests. */
export interface SavedQuestions {
  /** For this range, which consists of whole intervals, instead of the dates of the question. */
  answer(project: Project, fields: JsonObject, asked: AskedRange): Promise<unknown>;
  /** As its readers see it, with its own dates; from the cache where nothing has changed since. */
  result(project: Project, fields: JsonObject, signal: AbortSignal): Promise<SavedResult>;
  /** When the first event of the project happened; null where there is none. */
  firstEvent(project: Project): Promise<number | null>;
}

interface AskedRange {
  from: number;
  until: number;
  unit: Interval;
  signal: AbortSignal;
}

interface SavedResult {
  result: Json;
  computedAt: number;
}
