/** A line without axes, beside a number. */
interface SparklineProps {
  values: readonly number[];
  /** For screen readers. */
  label: string;
  width?: number;
  height?: number;
}

export function Sparkline({ values, label, width = 120, height = 28 }: SparklineProps) {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map(
    (value, index) => `${round(index * step)},${round(height - 2 - (value / most) * (height - 4))}`,
  );
  const last = points.at(-1)?.split(',') ?? ['0', String(height)];
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      // Where styles make it wider than it is drawn.
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <polygon points={`0,${height} ${points.join(' ')} ${last[0]},${height}`} fill="var(--accent-wash)" />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--accent)"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;
