// Draws the map of web analytics from Natural Earth's borders (npm package world-atlas): `npm run map:draw`.
// The result is committed, so that nobody needs the borders to build the console.
import { readFileSync, writeFileSync } from 'node:fs';
import { feature } from 'topojson-client';

const FILE = 'console/src/pages/web/world-paths.ts';
const WIDTH = 800;
/** Below is only Antarctica, where nobody visits sites. */
const SOUTH = -56;
/** Rings smaller than this many units in both directions are islets. */
const MIN_SIZE = 3;

/** In the middle, so that the edge is in the Bering Strait and no country is cut in two. */
const MIDDLE = 11;

/** Equal Earth, by Šavrič, Patterson and Jenny: areas are true, and it looks like a world map. */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
function project([east, latitude]) {
  const longitude = ((east - MIDDLE + 540) % 360) - 180;
  const theta = Math.asin((Math.sqrt(3) / 2) * Math.sin((latitude * Math.PI) / 180));
  const [square, sixth] = [theta ** 2, theta ** 6];
  const slope = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square);
  const x = ((((2 * Math.sqrt(3)) / 3) * longitude * Math.PI) / 180 / slope) * Math.cos(theta);
  return [x, -theta * (A1 + A2 * square + sixth * (A3 + A4 * square))];
}

const [east] = project([MIDDLE + 179.999, 0]);
const [, top] = project([0, 84]);
const [, bottom] = project([0, SOUTH]);
const scale = WIDTH / (2 * east);
const HEIGHT = Math.round((bottom - top) * scale);
const place = (point) => {
  const [x, y] = project(point);
  return [Math.round((x + east) * scale), Math.round((y - top) * scale)];
};

const countriesOf = (detail) => {
  const atlas = JSON.parse(readFileSync(`node_modules/world-atlas/countries-${detail}.json`, 'utf8'));
  return feature(atlas, atlas.objects.countries).features;
};

/** ISO 3166 in two letters. The numbers of the file are aliases of them in Unicode's tables. */
function codeOf({ id, properties }) {
  if (properties.name === 'Kosovo') return 'XK';
  const code = id === undefined ? '' : (new Intl.Locale(`und-${String(id).padStart(3, '0')}`).region ?? '');
  return /^[A-Z]{2}$/.test(code) ? code : '';
}

const ringsOf = ({ geometry: { type, coordinates } }) => (type === 'Polygon' ? coordinates : coordinates.flat());

const sizeOf = (points) =>
  [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  });

/** Steps from point to point, in whole units: half as long as places. */
function pathOf(points) {
  const steps = points.slice(1).map(([x, y], at) => [x - points[at][0], y - points[at][1]]);
  const moved = steps.filter(([x, y]) => x !== 0 || y !== 0);
  return `M${points[0].join(' ')}l${moved.map(([x, y]) => `${x} ${y}`).join(' ')}z`.replaceAll(' -', '-');
}

/** No islets, and none that the edge cuts, which would be a line across the map. */
const isDrawn = (points) => sizeOf(points).some((size) => size >= MIN_SIZE) && sizeOf(points)[0] < WIDTH / 2;

const paths = new Map();
for (const country of countriesOf('110m')) {
  const code = codeOf(country);
  if (code === 'AQ') continue;
  const rings = ringsOf(country).map((ring) => ring.map(place));
  const largest = rings.toSorted((a, b) => b.length - a.length)[0];
  const shown = rings.filter(isDrawn);
  const path = (shown.length > 0 ? shown : [largest]).map(pathOf).join('');
  paths.set(code, (paths.get(code) ?? '') + path);
}

/** Countries too small for the map, in the middle of their largest part. */
const dots = countriesOf('50m').flatMap((country) => {
  const code = codeOf(country);
  if (code === '' || code === 'AQ' || paths.has(code)) return [];
  const points = ringsOf(country)
    .toSorted((a, b) => b.length - a.length)[0]
    .map(place);
  const middle = [0, 1].map((axis) => Math.round(points.reduce((sum, point) => sum + point[axis], 0) / points.length));
  return [[code, middle]];
});

const lines = [...paths]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([code, path]) => `  [${code === '' ? "''" : `'${code}'`}, '${path}'],`);
writeFileSync(
  FILE,
  `/** Made by \`npm run map:draw\` from Natural Earth (public domain), in the Equal Earth projection. Do not edit. */
export const MAP_SIZE = { width: ${WIDTH}, height: ${HEIGHT} } as const;

/** The outline of each country by its code; disputed areas have none. */
// biome-ignore format: generated
export const COUNTRY_PATHS: readonly (readonly [code: string, path: string])[] = [
${lines.join('\n')}
];

/** Where countries are that are too small to be drawn. */
// biome-ignore format: generated
export const SMALL_COUNTRIES: readonly (readonly [code: string, x: number, y: number])[] = [
${dots.map(([code, [x, y]]) => `  ['${code}', ${x}, ${y}],`).join('\n')}
];
`,
);
console.log(`${paths.size} countries, ${dots.length} dots, ${readFileSync(FILE).length} bytes`);
