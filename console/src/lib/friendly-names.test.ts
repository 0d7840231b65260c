import { describe, expect, it } from 'vitest';
import {
  EVENT_NAMES,
  eventLabel,
  matchingEvents,
  matchingProperties,
  PROPERTY_NAMES,
  propertyLabel,
} from './friendly-names.ts';

describe('friendly names', () => {
  it.each([
    ['$pageview', 'Pageview'],
    ['$autocapture', 'Autocapture'],
    ['$feature_flag_called', 'Feature flag called'],
    ['$set', 'Set person properties'],
    ['order placed', 'order placed'],
    ['$unknown_event', '$unknown_event'],
    ['constructor', 'constructor'],
    ['', ''],
  ])('the event %j is %j', (name, label) => expect(eventLabel(name)).toBe(label));

  it.each([
    ['$current_url', 'Current URL'],
    ['$geoip_country_code', 'Country code'],
    ['$os', 'OS'],
    ['utm_source', 'UTM source'],
    ['$initial_current_url', 'Initial current URL'],
    ['$initial_os_version', 'Initial OS version'],
    ['$initial_utm_source', 'Initial UTM source'],
    ['$feature/new-checkout', 'Feature flag: new-checkout'],
    ['plan', 'plan'],
    ['$initial_unknown', '$initial_unknown'],
    ['__proto__', '__proto__'],
  ])('the property %j is %j', (name, label) => expect(propertyLabel(name)).toBe(label));

  it('lead back to the raw name, which is what the API gets', () => {
    expect([EVENT_NAMES.nameOf('Pageview'), PROPERTY_NAMES.nameOf('Country code')]).toEqual([
      '$pageview',
      '$geoip_country_code',
    ]);
    expect([EVENT_NAMES.nameOf('order placed'), EVENT_NAMES.nameOf('$pageview')]).toEqual([
      'order placed',
      '$pageview',
    ]);
  });

  it('are found by label where the raw name does not contain the words', () => {
    expect(matchingProperties('library ver')).toEqual(['$lib_version']);
    expect(matchingEvents('AI emb')).toEqual([]);
    expect(matchingEvents('session rec')).toEqual(['$snapshot']);
    expect(matchingProperties('')).toEqual([]);
  });
});
