import { svgToPng } from '../../lib/svg-to-png.ts';
import { chartSvg } from './rules/chart-svg.ts';
import type { DigestTile } from './rules/digest-tile.ts';

/** A picture in a mail, which its HTML shows by `cid`. */
export interface Picture {
  cid: string;
  filename: string;
  content: Buffer;
}

/** By the position of the tile. */
export async function drawPictures(tiles: readonly DigestTile[], messageId: string): Promise<Map<number, Picture>> {
  const pictures = new Map<number, Picture>();
  for (const [i, { chart }] of tiles.entries()) {
    if (chart === null) continue;
    const content = await svgToPng(chartSvg(chart));
    pictures.set(i, { cid: `chart-${i + 1}.${messageId}@cairn`, filename: `chart-${i + 1}.png`, content });
  }
  return pictures;
}
