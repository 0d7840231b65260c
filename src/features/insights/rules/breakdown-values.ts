import type { BreakdownCohort } from '../../../core/actions/breakdown.ts';
import type { BreakdownValue } from './answers.ts';
import { type Bin, binName } from './numbers/value-bins.ts';

export const textValue = (text: string): BreakdownValue => ({ value: text, label: text === '' ? 'none' : text });
export const numberValue = (number: number): BreakdownValue => ({ value: number, label: String(number) });
export const binValue = (bin: Bin): BreakdownValue => ({ value: binName(bin), label: binName(bin) });
export const cohortValue = ({ id, name }: BreakdownCohort): BreakdownValue => ({ value: id, label: name });

/** Addresses that lead to the same page are one: without trailing `/`, `?` and `#`. */
export const normaliseUrl = (url: string): string => url.replace(/[/?#]+$/, '') || '/';
