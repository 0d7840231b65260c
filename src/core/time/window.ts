export interface Window {
  count: number;
  unit: 'minute' | 'hour' | 'day' | 'week' | 'month';
}
