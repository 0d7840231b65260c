/** Asks a question as it stands, a moment after it has stopped changing. */

import { useRef, useState } from 'preact/hooks';
import { type InsightAnswer, runInsight } from '../../api/insights.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { type Resource, useResource } from '../../lib/use-resource.ts';
import { type Answer, readAnswer } from './answers.ts';
import { type Fields, finished, missingFrom, type Question, toFields } from './question.ts';
import { readQuestion } from './read-question.ts';

export interface Answered {
  /** The one that was asked: what is on the screen may have changed since. */
  question: Question;
  fields: Fields;
  answer: Answer;
  about: InsightAnswer;
}

export interface Asking {
  resource: Resource<Answered>;
  /** What is missing before it can be asked. */
  missing: string | null;
  /** Anew, even where the answer was kept from before. */
  refresh(): void;
  isStopped: boolean;
  stop(): void;
}

export function useAnswer(projectId: number, question: Question, waitMs = 350): Asking {
  const missing = missingFrom(question);
  const text = useDebounced(missing === null ? JSON.stringify(toFields(finished(question))) : null, waitMs);
  const wantsNew = useRef(false);
  const [stopped, setStopped] = useState<string | null>(null);
  const isStopped = text !== null && stopped === text;
  const resource = useResource<Answered>(
    text === null || isStopped
      ? null
      : async (signal) => {
          const refresh = wantsNew.current;
          wantsNew.current = false;
          const fields = JSON.parse(text) as Fields;
          const asked = readQuestion(fields);
          const about = await runInsight(projectId, fields, { signal, refresh });
          return { question: asked, fields, answer: readAnswer(asked, about.result), about };
        },
    [projectId, text],
  );
  const refresh = (): void => {
    wantsNew.current = true;
    setStopped(null);
    resource.reload();
  };
  return { resource, missing, refresh, isStopped, stop: () => setStopped(text) };
}
