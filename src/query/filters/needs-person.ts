import { cohortFiltersIn, type Filter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { conditionsIn, readsPerson } from '../expressions/expression-references.ts';

/** Whether a filter is about the person of an event. */
export const needsPerson = (filter: Filter): boolean =>
  cohortFiltersIn(filter).length > 0 ||
  propertyFiltersIn(filter).some(({ owner }) => owner === 'person') ||
  conditionsIn(filter).some(readsPerson);
