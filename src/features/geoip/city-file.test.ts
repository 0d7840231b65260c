import { describe, expect, it } from 'vitest';
import { CityFile, readPlace } from './city-file.ts';

const ITALY = {
  $geoip_country_code: 'IT',
  $geoip_country_name: 'Italy',
  $geoip_continent_code: 'EU',
  $geoip_continent_name: 'Europe',
};

describe('a record of a city file', () => {
  it.each([
    [
      'of MaxMind',
      {
        country: { iso_code: 'IT', names: { en: 'Italy' } },
        city: { names: { en: 'Rome', de: 'Rom' } },
        subdivisions: [{ iso_code: '62', names: { en: 'Lazio' } }],
        postal: { code: '00118' },
        location: { latitude: 41.89, longitude: 12.48, time_zone: 'Europe/Rome' },
      },
      { $geoip_subdivision_1_code: '62', $geoip_postal_code: '00118', $geoip_time_zone: 'Europe/Rome' },
    ],
    ['of DB-IP', { country_code: 'IT', state1: 'Lazio', city: 'Rome', latitude: 41.89, longitude: 12.48 }, {}],
    ['of IPinfo', { country: 'IT', region: 'Lazio', city: 'Rome', lat: '41.89', lng: '12.48' }, {}],
  ])('%s is read', (_, record, more) => {
    expect(readPlace(record)).toEqual({
      ...ITALY,
      $geoip_city_name: 'Rome',
      $geoip_subdivision_1_name: 'Lazio',
      $geoip_latitude: 41.89,
      $geoip_longitude: 12.48,
      ...more,
    });
  });

  it.each([null, 'IT', {}, { country: { iso_code: 7 } }, { country_code: 'Italy' }])(
    'is nothing where it is %j',
    (record) => expect(readPlace(record)).toBeNull(),
  );

  it('is in a file of that format', () => expect(() => new CityFile(Buffer.from('no database'))).toThrow());
});
