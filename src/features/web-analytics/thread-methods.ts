import { leave } from '../../lib/rpc.ts';
import { type CountedViews, countViews, type ViewColumns } from './rules/count-views.ts';

const NO_PAUSE = async (): Promise<void> => undefined;

/** What the second thread does for web analytics: pure work on columns of numbers. */
export const webThreadMethods = {
  async countViews(columns: ViewColumns): Promise<CountedViews> {
    const counted = await countViews(columns, NO_PAUSE);
    return leave(counted, counted.pages === null ? [] : [counted.pages.visitors]);
  },
};

export type WebThreadMethods = typeof webThreadMethods;
