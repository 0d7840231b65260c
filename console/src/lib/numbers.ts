/** The only place that formats numbers. */
import { LOCALE } from './locale.ts';

const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const change = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });
/** Rollouts can be as fine as a hundredth of a percent. */
const finePercent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 2 });

/** 12,345.67 */
export const formatNumber = (value: number): string => plain.format(value);
/** 12.3K, for axes */
export const formatCompact = (value: number): string => (Math.abs(value) < 10_000 ? plain : compact).format(value);
/** 0.1234 → 12.3% */
export const formatPercent = (share: number): string => percent.format(share);
/** By how much something changed: 0.1234 → +12.3% */
export const formatChange = (share: number): string => change.format(share);
/** A rollout percentage from 0 to 100: 33.33 → 33.33% */
export const formatRollout = (percentage: number): string => finePercent.format(percentage / 100);

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** 1.5 GB, in powers of 1000 */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const unit = BYTE_UNITS[power] ?? 'byte';
  const unitDisplay = power === 0 ? 'long' : 'short';
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay, maximumSignificantDigits: 3 }).format(
    bytes / 1000 ** power,
  );
}

/** 1 event, 2 events */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
