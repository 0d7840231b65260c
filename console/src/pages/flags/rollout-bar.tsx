import { formatNumber } from '../../lib/format.ts';
import { conditionsOf, type Filters, propertiesOf, shareOf } from './model/filters.ts';
import { keyOf, variantShare, variantsOf } from './model/variants.ts';

export interface Rollout {
  /** The largest share that a condition gives to those who fit. */
  share: number;
  /** True: not everybody has a chance, only those who fit a condition. */
  isLimited: boolean;
  words: string;
}

/** How far a flag is rolled out, as far as that can be told without asking who there is. */
export function rolloutOf(filters: Filters): Rollout {
  const conditions = conditionsOf(filters);
  const open = conditions.filter((condition) => propertiesOf(condition).length === 0).map(shareOf);
  const share = Math.max(0, ...conditions.map(shareOf));
  const forAll = Math.max(0, ...open);
  const others = conditions.length - open.length;
  if (forAll === 100) return { share: 100, isLimited: false, words: 'everybody' };
  const base = forAll > 0 ? `${formatNumber(forAll)} % of everybody` : '';
  if (others === 0 || share === 0) return { share: forAll, isLimited: false, words: base || 'nobody' };
  const limited = others === 1 ? 'those who fit a condition' : `those who fit ${others} conditions`;
  const words = base
    ? `${base}, and ${limited}`
    : `${share === 100 ? '' : `up to ${formatNumber(share)} % of `}${limited}`;
  return { share: base ? forAll : share, isLimited: !base, words };
}

/** A bar, its variants side by side in it. Pale where only those who fit a condition can get it. */
export function RolloutBar({ filters, isOn }: { filters: Filters; isOn: boolean }) {
  const { share, isLimited, words } = rolloutOf(filters);
  const variants = variantsOf(filters);
  const shares = variants.length > 0 ? variants.map(variantShare) : [100];
  const starts = shares.map((_, index) => shares.slice(0, index).reduce((sum, one) => sum + one, 0));
  return (
    <div class="rollout">
      <svg class={isOn ? undefined : 'off'} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="8" />
        {shares.map((part, index) => (
          <rect
            key={index}
            class={`series-${(index % 8) + 1}${isLimited ? ' limited' : ''}`}
            x={((starts[index] ?? 0) * share) / 100}
            width={(part * share) / 100}
            height="8"
          >
            <title>{variants[index] ? keyOf(variants[index]) : words}</title>
          </rect>
        ))}
      </svg>
      <span class="small">{words}</span>
    </div>
  );
}
