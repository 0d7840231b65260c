/** The colours of charts, as `tokens.css` has them, for everybody's eyes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PALETTE_SIZE } from './rules/colours.ts';

const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');

type Rgb = readonly number[];
const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const fromHex = (hex: string): Rgb => [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));

/** A token in light and dark. */
function token(name: string): [light: Rgb, dark: Rgb] {
  const [, light = '', dark = ''] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css) ?? [];
  return [fromHex(light), fromHex(dark)];
}

const luminance = ([red = 0, green = 0, blue = 0]: Rgb): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
function contrast(a: Rgb, b: Rgb): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

const apply = (matrix: readonly (readonly number[])[], vector: Rgb): number[] =>
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (vector[at] ?? 0), 0));

/** Machado, Oliveira and Fernandes (2009), full severity, on linear RGB. */
const EYES: Record<string, (colour: Rgb) => Rgb> = {
  'full colour vision': (colour) => colour,
  deuteranopia: (colour) =>
    apply(
      [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
      ],
      colour,
    ),
  protanopia: (colour) =>
    apply(
      [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
      ],
      colour,
    ),
};

/** OKLab, in which distances are about as people see them. */
function oklab(colour: Rgb): number[] {
  const cones = apply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour.map((channel) => Math.min(1, Math.max(0, channel))),
  );
  return apply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  );
}
const distance = (a: Rgb, b: Rgb): number =>
  100 * Math.hypot(...oklab(a).map((value, at) => value - (oklab(b)[at] ?? 0)));

const NAMES = [...Array.from({ length: PALETTE_SIZE }, (_, index) => `series-${index + 1}`), 'series-other'];

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('the colours of charts, %s', (_theme, at) => {
  const surface = token('surface')[at];

  it.each([...NAMES, 'series-overall'])('--%s stands out from the background', (name) => {
    expect(contrast(token(name)[at], surface)).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ['full colour vision', 8.5],
    ['deuteranopia', 5.5],
    ['protanopia', 5.5],
  ])('are distinct with %s', (eyes, least) => {
    const see = EYES[eyes] ?? ((colour: Rgb) => colour);
    const pairs = NAMES.flatMap((a, index) => NAMES.slice(0, index).map((b) => [a, b] as const));
    const close = pairs
      .map(([a, b]) => ({ a, b, apart: distance(see(token(a)[at]), see(token(b)[at])) }))
      .filter(({ apart }) => apart < least);
    expect(close).toEqual([]);
  });
});
