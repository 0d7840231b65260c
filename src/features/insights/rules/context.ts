import type { ActionDefinition } from '../../../core/actions/entity.ts';
import type { PathCleaning } from './question.ts';

/** What a question needs to know of its project to be understood. */
export interface QuestionContext {
  now: number;
  timezone: string;
  /** When the project's first event happened, for `date_from=all` (see `startsAtFirstEvent`); null where it has none. */
  earliest?: number | null;
  /** The project's filters against its own people, as they are kept. */
  testAccountFilters?: unknown;
  pathCleanings?: readonly PathCleaning[];
  action?(id: number): ActionDefinition | undefined;
  cohort?(id: number): { name: string } | undefined;
}

/** Whether the question's dates begin with the project's first event, which has to be looked up before it is read. */
export const startsAtFirstEvent = (fields: Readonly<Record<string, unknown>>): boolean => fields['date_from'] === 'all';
