import { getCourse, type MetricResult } from '../../api/experiments.ts';
import { Chart } from '../../charts/chart.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { formatTick, formatTickTitle } from '../../lib/dates.ts';
import { formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

interface CourseChartProps {
  experimentId: number;
  metric: MetricResult;
  variant: string;
}

/** How the lift and its interval became narrower, day by day. */
export function CourseChart({ experimentId, metric, variant }: CourseChartProps) {
  const { id } = useProject();
  const course = useResource(
    (signal) => getCourse(id, experimentId, metric.uuid, signal),
    [id, experimentId, metric.uuid],
  );
  return (
    <Loaded resource={course}>
      {({ points }) => {
        const own = points.map(({ variant_results }) => variant_results.find(({ key }) => key === variant) ?? null);
        if (points.length < 2) return <Empty title="No course yet">It is shown from the second day on.</Empty>;
        if (own.every((one) => one?.lift_interval == null))
          return <Empty title="No course yet">There is not enough data for an interval on any day.</Empty>;
        return (
          <Chart
            label={`Lift of ${variant} by day, with its interval`}
            kind="line"
            unit="Lift"
            format={formatPercent}
            hasTable
            ticks={points.map(({ date }) => ({
              label: formatTick(date.slice(0, 10), 'day'),
              title: formatTickTitle(date.slice(0, 10), 'day'),
            }))}
            series={[
              {
                name: 'Lift',
                colour: 0,
                // Without an interval a lift says nothing, and is often far away.
                values: own.map((one) => (one?.lift_interval ? one.lift : null)),
                band: {
                  low: own.map((one) => one?.lift_interval?.[0] ?? null),
                  high: own.map((one) => one?.lift_interval?.[1] ?? null),
                },
              },
            ]}
          />
        );
      }}
    </Loaded>
  );
}
