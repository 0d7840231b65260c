import { createDashboard, type Dashboard } from '../../api/dashboards.ts';
import { createInsight } from '../../api/insights.ts';
import type { Template } from './templates.ts';

/** Saves the insights first: if that fails halfway, there is no half-empty dashboard. */
export async function createFromTemplate(
  projectId: number,
  named: { name: string; description: string },
  template: Template,
): Promise<Dashboard> {
  const tiles: { insight: number; order: number; layouts: object }[] = [];
  for (const [order, { name, filters, w }] of template.insights.entries()) {
    const { id } = await createInsight(projectId, { name, filters: { ...filters } });
    tiles.push({ insight: id, order, layouts: { sm: { w } } });
  }
  return createDashboard(projectId, {
    ...named,
    tiles: tiles.map((tile) => ({ ...tile, layouts: { ...tile.layouts } })),
  });
}
