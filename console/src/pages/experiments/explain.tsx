import './experiments.css';
import type { ComponentChildren } from 'preact';

/** What each figure means, for people who are not statisticians. */
const EXPLANATIONS = {
  lift: 'By how much the value of the variant is above or below that of the baseline, in percent of the baseline.',
  interval:
    'The true effect is in this range, except in about 1 of 20 experiments. While it includes 0, there may be no effect.',
  sequential: 'This interval holds however often you look. It is wider than one for a single look at the end.',
  fixed: 'This interval holds for one look, at the planned end. Earlier looks find differences that are not there.',
  pValue: 'How likely a difference this large is if the variant changes nothing, corrected for several comparisons.',
  chance: 'How likely the variant is better than the baseline, given the data. It does not decide anything here.',
  loss: 'How much you lose on average if you choose the variant and it is in fact worse.',
  cuped: 'How much noise is removed by taking into account what people did before they were exposed.',
  split: 'Whether the variants have as many persons as the percentages of the flag say. If not, something is broken.',
  multiple: 'They saw more than one variant, mostly because they signed in, so it cannot be said what affected them.',
  baseline: 'The value of the variant that the others are compared with, and how many persons it comes from.',
  variant: 'The value of this variant, and how many persons it comes from.',
  uncapped: 'The mean before extreme values were moved to the bound that the metric sets.',
  guardrail:
    'Something a variant must not harm. Harm is shown when the whole interval is beyond the margin; looking often is allowed.',
  breakdown:
    'Persons by a property of their first exposure. With many parts some differ by chance, so nothing is decided here.',
  exposed: 'Persons whose first call of the flag with one of its variants was after the launch.',
} as const;

/** A term with its explanation as a tooltip. */
export const Explain = ({ term, children }: { term: keyof typeof EXPLANATIONS; children: ComponentChildren }) => (
  <abbr class="explain" title={EXPLANATIONS[term]}>
    {children}
  </abbr>
);
