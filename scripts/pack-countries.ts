/** Packs the table of countries that ships with Cairn from the installed npm package: `npm run geoip:pack`. */
import { writeFileSync } from 'node:fs';
import { writeCountryFile } from '../src/features/geoip/country-table.ts';
import { readCountryLists } from '../src/features/geoip/read-country-lists.ts';

// Relative to the root, where npm runs scripts.
const PACKAGE = 'node_modules/@ip-location-db/geo-whois-asn-country';
const FILE = 'src/features/geoip/data/countries.br';

const ranges = readCountryLists(PACKAGE);
const file = writeCountryFile(ranges);
writeFileSync(FILE, file);
console.log(`${ranges.date}: ${ranges.v4.starts.length} + ${ranges.v6.high.length} ranges, ${file.length} bytes`);
