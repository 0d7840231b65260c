import { savedKind } from '../kinds.ts';
import type { Question } from '../rules/question.ts';
import type { SavedQuestions } from '../saved-questions.ts';
import type { InsightApiDeps } from './deps.ts';
import { type ContextDeps, questionContext } from './insight-request.ts';

/** Answers are not cached: each is asked for once. */
export const answerSavedQuestions = (deps: ContextDeps & Pick<InsightApiDeps, 'answerQuestion'>): SavedQuestions => ({
  async answer(project, fields, { from, until, unit, signal }) {
    const dated = {
      ...fields,
      date_from: new Date(from).toISOString(),
      date_to: new Date(until - 1).toISOString(),
      explicit_date: true,
      // Questions know no minutes.
      interval: unit === 'minute' ? 'hour' : unit,
    };
    const read = savedKind(dated).read(dated, await questionContext(deps, project, dated));
    const question: Question = read.kind === 'trends' ? { ...read, range: { from, until }, interval: unit } : read;
    return deps.answerQuestion(project.id, question, { limit: 0, offset: 0 }, signal);
  },
  async firstEvent(project) {
    return (await questionContext(deps, project, { date_from: 'all' })).earliest ?? null;
  },
});
