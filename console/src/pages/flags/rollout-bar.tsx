import { formatRollout, pluralize } from '../../lib/numbers.ts';
import { conditionsOf, type Filters, propertiesOf, rolloutOf } from './model/filters.ts';
import { keyOf, variantRollout, variantsOf } from './model/variants.ts';

interface RolloutSummary {
  /** The largest rollout percentage of a condition. */
  percentage: number;
  /** Only those who match a condition can get it. */
  isTargeted: boolean;
  text: string;
}

/** How far a flag is rolled out, as far as its conditions tell. */
function summarize(filters: Filters): RolloutSummary {
  const conditions = conditionsOf(filters);
  const untargeted = conditions.filter((condition) => propertiesOf(condition).length === 0).map(rolloutOf);
  const highest = Math.max(0, ...conditions.map(rolloutOf));
  const forAll = Math.max(0, ...untargeted);
  const targeted = conditions.length - untargeted.length;
  if (forAll === 100) return { percentage: 100, isTargeted: false, text: 'Everyone' };
  const base = forAll > 0 ? `${formatRollout(forAll)} of everyone` : '';
  if (targeted === 0 || highest === 0) return { percentage: forAll, isTargeted: false, text: base || 'No one' };
  const count = pluralize(targeted, 'condition');
  if (base) return { percentage: forAll, isTargeted: false, text: `${base}, plus ${count}` };
  const text = highest === 100 ? `Everyone matching ${count}` : `Up to ${formatRollout(highest)} matching ${count}`;
  return { percentage: highest, isTargeted: true, text };
}

/** The variants side by side; pale where only those who match a condition can get the flag. */
export function RolloutBar({ filters, isOn }: { filters: Filters; isOn: boolean }) {
  const { percentage, isTargeted, text } = summarize(filters);
  const variants = variantsOf(filters);
  const widths = variants.length > 0 ? variants.map(variantRollout) : [100];
  const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, one) => sum + one, 0));
  return (
    <div class="rollout">
      <svg class={isOn ? undefined : 'off'} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="8" />
        {widths.map((width, index) => (
          <rect
            key={index}
            class={`series-${(index % 8) + 1}${isTargeted ? ' limited' : ''}`}
            x={((starts[index] ?? 0) * percentage) / 100}
            width={(width * percentage) / 100}
            height="8"
          >
            <title>{variants[index] ? keyOf(variants[index]) : text}</title>
          </rect>
        ))}
      </svg>
      <span class="small">{text}</span>
    </div>
  );
}
