/** What whoever reads an answer has to know: that it does not have everything that was asked for. */

import { once } from '../../../core/once.ts';

export interface StatementWarning {
  code: 'events_left_out' | 'rows_left_out';
  message: string;
}

interface AnswerFacts {
  limit: number;
  isLimitLowered: boolean;
  hasMore: boolean;
  readsEvents: boolean;
}

interface SourceFacts {
  /** Events from before are not there; ms UTC. Null: all are. */
  eventsFrom: number | null;
}

export function statementWarnings(answer: AnswerFacts, { eventsFrom }: SourceFacts): StatementWarning[] {
  const warnings: StatementWarning[] = [];
  if (answer.readsEvents && eventsFrom !== null) {
    warnings.push({
      code: 'events_left_out',
      message: `Only events from ${month().format(eventsFrom)} on (UTC) are counted: the project is larger than the copy of it that SQL reads may be (SQL_COPY_MAX_GB).`,
    });
  }
  if (answer.hasMore && answer.isLimitLowered) {
    warnings.push({
      code: 'rows_left_out',
      message: `Only the first ${answer.limit.toLocaleString('en')} rows are here, as many as there may be. OFFSET gives the next ones.`,
    });
  }
  return warnings;
}

const month = once(() => new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }));

/** For answers whose body has no place for them. */
export const WARNING_HEADER = 'x-cairn-warning';

export const warningText = (warnings: readonly StatementWarning[]): string =>
  warnings.map(({ message }) => message).join(' ');
