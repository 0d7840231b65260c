/** Draws an SVG without text, off the main thread and without a browser. */

/** For screens with twice as many pixels. */
const ZOOM = 2;

export async function svgToPng(svg: string): Promise<Buffer> {
  // Loaded when it is first needed: it is a native library.
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(svg, {
    fitTo: { mode: 'zoom', value: ZOOM },
    font: { loadSystemFonts: false },
  });
  return image.asPng();
}
