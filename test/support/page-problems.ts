import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { saveScreenshot } from './browser.ts';

/** In light and dark, at three widths: what axe objects to, and whether the page is wider than the screen. */
export async function pageProblems(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [1440, 1024, 380]) {
      await page.setViewportSize({ width, height: 1000 });
      await saveScreenshot(page, `${name}-${width}-${colorScheme}`);
      const isCut = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (isCut) found.push(`${width} px: scrolls sideways`);
    }
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)');
    found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colorScheme} ${id}: ${html}`)));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
