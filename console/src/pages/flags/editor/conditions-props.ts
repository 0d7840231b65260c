import type { Names } from '../model/descriptions.ts';
import type { Filters } from '../model/filters.ts';
import type { Targets } from './use-targets.ts';

export interface ConditionsProps {
  flagId: number | null;
  filters: Filters;
  onChange(change: (filters: Filters) => Filters): void;
  targets: Targets;
  names: Names;
}
