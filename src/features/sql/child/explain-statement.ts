/** How the engine would run a statement. */
import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import type { PlanStep } from './protocol.ts';

const ROWS = 'Estimated Cardinality';

interface EnginePlan {
  name: string;
  children: EnginePlan[];
  extra_info: Readonly<Record<string, unknown>>;
}

/** `statement`: `explain (format json) …`, with its values. */
export async function explainStatement(statement: DuckDBPreparedStatement): Promise<PlanStep[]> {
  const [row] = await (await statement.run()).getRowsJS();
  return (JSON.parse(String(row?.[1])) as EnginePlan[]).map(toStep);
}

function toStep({ name, children, extra_info: info }: EnginePlan): PlanStep {
  const details = Object.entries(info).filter(([key]) => key !== ROWS);
  return {
    name: name.trim(),
    rows: info[ROWS] === undefined ? null : Number(info[ROWS]),
    details: Object.fromEntries(details.map(([key, value]) => [key, toText(key, value)])),
    children: children.map(toStep),
  };
}

/** A table without the name of the file that it is in. */
function toText(key: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return key === 'Table' ? text.replace(/^.*\./, '') : text;
}
