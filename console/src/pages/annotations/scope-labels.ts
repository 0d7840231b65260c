import type { ChartAnnotation } from '../../api/annotations.ts';

export const SCOPE_LABELS: Readonly<Record<ChartAnnotation['scope'], string>> = {
  dashboard_item: 'This insight',
  dashboard: 'This dashboard',
  project: 'All charts of this project',
  organization: 'All projects of the organization',
};
