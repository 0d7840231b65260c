import type { JsonObject } from '../../core/json/json.ts';

/** Where the events of an address came from. */
export interface AddressPlace {
  address: string;
  /** `$geoip_…` properties. */
  place: JsonObject;
}

/** The properties of a place as the end of a JSON object. */
export const placeJson = ({ place }: AddressPlace): string => `,${JSON.stringify(place).slice(1)}`;
