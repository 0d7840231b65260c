/** What was concluded from an experiment, and what its results say against it. */
import type { Results, VariantResult } from '../../api/experiments.ts';
import type { Option } from '../../components/field.tsx';

export const CONCLUSIONS: Readonly<Record<string, string>> = {
  won: 'The variant is better',
  lost: 'The variant is worse',
  inconclusive: 'Inconclusive',
  stopped_early: 'Stopped early',
  invalid: 'Invalid',
};

export const NO_CONCLUSION = '';

export const CONCLUSION_OPTIONS: readonly Option[] = [
  { value: NO_CONCLUSION, label: 'None yet' },
  ...Object.entries(CONCLUSIONS).map(([value, label]) => ({ value, label })),
];

type Decided = Pick<Results, 'verdict' | 'sentence' | 'metrics'>;

/** Null if the results do not contradict the conclusion. */
export function againstConclusion(conclusion: string, { verdict, sentence }: Decided): string | null {
  if (conclusion === 'won' && verdict !== 'better')
    return `The results do not show that a variant is better. ${sentence}`;
  if (conclusion === 'lost' && verdict !== 'worse')
    return `The results do not show that a variant is worse. ${sentence}`;
  const isDecided = verdict === 'better' || verdict === 'worse';
  return conclusion === 'inconclusive' && isDecided ? `The evidence is enough to decide. ${sentence}` : null;
}

/** What speaks against giving this variant to everyone: where it does harm, and which other one is better. */
export function againstShipping(variant: string, { verdict, sentence, metrics }: Decided): string[] {
  if (verdict === 'split_broken') return [sentence];
  const of = (role: 'primary' | null): VariantResult[] =>
    metrics.flatMap(({ role: own = 'primary', variant_results: results }) =>
      role === null || own === role ? results : [],
    );
  const harm = of(null).filter(({ key, verdict: found }) => key === variant && (found === 'worse' || found === 'harm'));
  const better = of('primary').filter(({ verdict: found }) => found === 'better');
  const others = better.some(({ key }) => key === variant) ? [] : better;
  return [...new Set([...harm, ...others].map((result) => result.sentence))];
}
