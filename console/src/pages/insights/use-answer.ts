/** Runs the query of an insight, a moment after it has stopped changing. */
import { useRef, useState } from 'preact/hooks';
import { type InsightAnswer, runInsight } from '../../api/insights.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { type Resource, useResource } from '../../lib/use-resource.ts';
import { type Answer, needsOverall, readAnswer } from './answers.ts';
import { type Fields, finished, missingFrom, type Question, toFields } from './question.ts';
import { readQuestion } from './read-question.ts';

export interface QueryResult {
  /** The query that was run; the form may have changed since. */
  question: Question;
  fields: Fields;
  answer: Answer;
  response: InsightAnswer;
}

export interface QueryRun {
  resource: Resource<QueryResult>;
  /** What is missing before the query can run. */
  missing: string | null;
  /** Runs again, without the cache. */
  refresh(): void;
  isCancelled: boolean;
  cancel(): void;
}

export function useAnswer(projectId: number, question: Question, debounceMs = 350): QueryRun {
  const missing = missingFrom(question);
  const text = useDebounced(missing === null ? JSON.stringify(toFields(finished(question))) : null, debounceMs);
  const skipsCache = useRef(false);
  const [cancelled, setCancelled] = useState<string | null>(null);
  const isCancelled = text !== null && cancelled === text;
  const resource = useResource<QueryResult>(
    text === null || isCancelled
      ? null
      : async (signal) => {
          const refresh = skipsCache.current;
          skipsCache.current = false;
          const fields = JSON.parse(text) as Fields;
          const question = readQuestion(fields);
          const run = (given: Fields) => runInsight(projectId, given, { signal, refresh });
          const [response, overall] = await Promise.all([
            run(fields),
            needsOverall(question) ? run(toFields({ ...question, breakdown: null })) : undefined,
          ]);
          return { question, fields, answer: readAnswer(question, response.result, overall?.result), response };
        },
    [projectId, text],
  );
  const refresh = (): void => {
    skipsCache.current = true;
    setCancelled(null);
    resource.reload();
  };
  return { resource, missing, refresh, isCancelled, cancel: () => setCancelled(text) };
}
