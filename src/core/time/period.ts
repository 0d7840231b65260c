import type { Interval } from './interval.ts';

export const PERIODS = ['Hour', 'Day', 'Week', 'Month'] as const;

export type Period = (typeof PERIODS)[number];

const UNITS: Record<Period, Interval> = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' };

export const periodUnit = (period: Period): Interval => UNITS[period];
