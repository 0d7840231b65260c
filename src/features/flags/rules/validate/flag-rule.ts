import { type Failure, invalid } from '../../../../core/errors.ts';

/** What is wrong with a flag's filters, said of that field. */
export const invalidFilters = (detail: string, code?: string): Failure => invalid('filters', detail, code);
