/** The recorded cases of channels, source names and web vitals. */
import { describe, expect, it } from 'vitest';
import { describeVectors } from '../../../test/support/vectors.ts';
import { channelOf } from './channel.ts';
import { sourceName } from './source-name.ts';
import { type VitalName, vitalBand } from './web-vitals.ts';

interface Vectors {
  cases: readonly (
    | { id: string; kind: 'channel'; properties: Record<string, string>; expect: { channel: string } }
    | { id: string; kind: 'source_name'; text: string; expect: { source: string } }
    | { id: string; kind: 'vitals'; metric: VitalName; values: number[]; expect: { p75: number; band: string } }
    | { id: string; kind: 'world' }
  )[];
}

function acquisitionOf(properties: Record<string, string>) {
  const text = (key: string): string => properties[key] ?? '';
  const has = (...keys: string[]): boolean => keys.some((key) => text(key) !== '');
  return {
    source: text('utm_source'),
    medium: text('utm_medium'),
    campaign: text('utm_campaign'),
    referrer: text('$referring_domain'),
    host: text('$host'),
    clickIds: {
      google: has('gclid', 'gbraid', 'wbraid'),
      gadSource: text('gad_source'),
      microsoft: has('msclkid'),
      meta: has('fbclid'),
    },
  };
}

describeVectors<Vectors>('web analytics by recorded cases', 'web-analytics.json', ({ cases }) => {
  describe('channels', () => {
    it.each(cases.filter((one) => one.kind === 'channel'))('$id', ({ properties, expect: { channel } }) => {
      expect(channelOf(acquisitionOf(properties))).toBe(channel);
    });
  });
  describe('source names', () => {
    it.each(cases.filter((one) => one.kind === 'source_name'))('$id', ({ text, expect: { source } }) => {
      expect(sourceName(text)).toBe(source);
    });
  });
  describe('web vitals', () => {
    const known = cases.filter((one) => one.kind === 'vitals').filter(({ values }) => values.length > 0);
    it.each(known)('$id', ({ metric, expect: { p75, band } }) => {
      expect(vitalBand(metric, p75)).toBe(band);
    });
  });
});
