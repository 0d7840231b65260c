interface Continent {
  code: string;
  name: string;
}

/** Countries by continent, as GeoNames divides them. */
const COUNTRIES: Readonly<Record<string, readonly [name: string, countries: string]>> = {
  AF: [
    'Africa',
    'DZ AO BJ BW BF BI CM CV CF TD KM CG CD CI DJ EG GQ ER SZ ET GA GM GH GN GW KE LS LR LY MG MW ML MR MU YT MA MZ NA ' +
      'NE NG RE RW SH ST SN SC SL SO ZA SS SD TZ TG TN UG EH ZM ZW',
  ],
  AN: ['Antarctica', 'AQ BV GS HM TF'],
  AS: [
    'Asia',
    'AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH ' +
      'PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE',
  ],
  EU: [
    'Europe',
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT ' +
      'NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK',
  ],
  NA: [
    'North America',
    'AG AI AN AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT ' +
      'US VC VG VI',
  ],
  OC: ['Oceania', 'AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS'],
  SA: ['South America', 'AR BO BR CL CO EC FK GF GY PE PY SR UY VE'],
};

const BY_COUNTRY: ReadonlyMap<string, Continent> = new Map(
  Object.entries(COUNTRIES).flatMap(([code, [name, countries]]) =>
    countries.split(' ').map((country) => [country, { code, name }] as const),
  ),
);

export const continentOf = (country: string): Continent | undefined => BY_COUNTRY.get(country);
