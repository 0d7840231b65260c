import type { JsonObject } from '../../core/json/json.ts';
import type { Interval } from '../../core/time/interval.ts';
import type { Project } from '../../stores/metadata/accounts.ts';

/** Answers questions of saved insights for others than their readers, such as alerts. */
export interface SavedQuestions {
  /** For this range, which consists of whole intervals, instead of the dates of the question. */
  answer(project: Project, fields: JsonObject, asked: AskedRange): Promise<unknown>;
  /** When the first event of the project happened; null where there is none. */
  firstEvent(project: Project): Promise<number | null>;
}

interface AskedRange {
  from: number;
  until: number;
  unit: Interval;
  signal: AbortSignal;
}
