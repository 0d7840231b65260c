import { cohortsIn, type Filter, leavesOf } from '../../core/filters/property-filter.ts';

/** Whether a filter is about the person of an event, so that persons have to be joined. */
export const asksForPerson = (filter: Filter): boolean =>
  cohortsIn(filter).length > 0 || leavesOf(filter).some(({ owner }) => owner === 'person');
