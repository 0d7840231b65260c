import { addUnits, type Interval } from '../../../core/time/interval.ts';
import type { Range } from '../../../core/time/range.ts';
import { savedKind } from '../kinds.ts';
import type { Question } from '../rules/question.ts';
import type { SavedQuestions } from '../saved-questions.ts';
import { type ContextDeps, questionContext } from './insight-request.ts';
import { answerSavedInsight, type QueryRunDeps, runQueries } from './run-query.ts';

type SavedQuestionDeps = ContextDeps & Omit<QueryRunDeps, 'usage'>;

/** None of these is a look at an insight that counts as its use. */
const NO_USAGE = { record: () => undefined };

/** Questions know no minutes; and the months of retention are counted from any day. */
function during(question: Question, { from, until }: Range, unit: Interval): Question {
  if (question.kind === 'trends') return { ...question, range: { from, until }, interval: unit };
  if (question.kind !== 'retention') return question;
  return { ...question, range: { from: addUnits(until, -question.intervals, unit, question.timezone), until } };
}

export const answerSavedQuestions = (deps: SavedQuestionDeps): SavedQuestions => ({
  // Not cached: each is asked for once.
  async answer(project, fields, { from, until, unit, signal }) {
    const dated = {
      ...fields,
      date_from: new Date(from).toISOString(),
      date_to: new Date(until - 1).toISOString(),
      explicit_date: true,
      interval: unit === 'minute' ? 'hour' : unit,
    };
    const read = savedKind(dated).read(dated, await questionContext(deps, project, dated));
    const question = during(read, { from, until }, unit);
    return deps.answerQuestion(project.id, question, { limit: 0, offset: 0 }, signal);
  },
  async result(project, fields, signal) {
    const run = runQueries({ ...deps, usage: NO_USAGE }, { project, signal }, {});
    const result = await answerSavedInsight(run, fields);
    return { result: JSON.parse(JSON.stringify(result)), computedAt: Date.parse(run.freshness().last_refresh) };
  },
  async firstEvent(project) {
    return (await questionContext(deps, project, { date_from: 'all' })).earliest ?? null;
  },
});
