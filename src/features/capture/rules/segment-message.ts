import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

/**
 * Translates messages of Segment's protocol into raw events that `normalise` understands. A message of an unknown type
 * becomes an event without a name, which is dropped and counted.
 */
type SegmentType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';

/** Type → the name of the event and the properties that only this type has. */
const TRANSLATIONS: Readonly<Record<SegmentType, (message: JsonObject) => { event: Json; properties: JsonObject }>> = {
  track: ({ event = null, properties }) => ({ event, properties: objectOf(properties) }),
  identify: ({ traits, userId, anonymousId }) => ({
    event: '$identify',
    properties: present({ $set: objectOf(traits), $anon_distinct_id: userId === undefined ? undefined : anonymousId }),
  }),
  page: ({ properties, name, category }) => ({
    event: '$pageview',
    properties: { ...pageProperties(objectOf(properties)), ...present({ name, category }), ...objectOf(properties) },
  }),
  screen: ({ properties, name, category }) => ({
    event: '$screen',
    properties: { ...present({ $screen_name: name, category }), ...objectOf(properties) },
  }),
  group: ({ groupId, traits }) => ({ event: '$groupidentify', properties: groupProperties(groupId, objectOf(traits)) }),
  alias: ({ previousId }) => ({ event: '$create_alias', properties: present({ alias: previousId }) }),
};

/** `type` is from the path; messages of a batch have their own. */
export function eventFromSegment(message: JsonObject, type = message['type']): JsonObject {
  const { userId, anonymousId, messageId, timestamp } = message;
  const { event, properties } = isType(type) ? TRANSLATIONS[type](message) : { event: null, properties: {} };
  const context = objectOf(message['context']);
  return {
    ...present({ messageId, timestamp }),
    event,
    distinct_id: isGiven(userId) ? userId : (anonymousId ?? null),
    properties: { ...contextProperties(context), ...properties },
  };
}

const isType = (type: Json | undefined): type is SegmentType =>
  typeof type === 'string' && Object.hasOwn(TRANSLATIONS, type);

/** Path in Segment's context, and our property. */
const CONTEXT: readonly (readonly [path: readonly string[], property: string])[] = [
  [['library', 'name'], '$lib'],
  [['library', 'version'], '$lib_version'],
  [['ip'], '$ip'],
  [['userAgent'], '$raw_user_agent'],
  [['locale'], '$locale'],
  [['timezone'], '$timezone'],
  [['app', 'name'], '$app_name'],
  [['app', 'version'], '$app_version'],
  [['app', 'build'], '$app_build'],
  [['app', 'namespace'], '$app_namespace'],
  [['os', 'name'], '$os'],
  [['os', 'version'], '$os_version'],
  [['device', 'type'], '$device_type'],
  [['device', 'manufacturer'], '$device_manufacturer'],
  [['device', 'model'], '$device_model'],
  [['campaign', 'source'], 'utm_source'],
  [['campaign', 'medium'], 'utm_medium'],
  [['campaign', 'name'], 'utm_campaign'],
  [['campaign', 'term'], 'utm_term'],
  [['campaign', 'content'], 'utm_content'],
];

function contextProperties(context: JsonObject): JsonObject {
  const properties = pageProperties(objectOf(context['page']));
  for (const [path, property] of CONTEXT) {
    const value = path.reduce<Json | undefined>((inner, name) => objectOf(inner)[name], context);
    if (isGiven(value)) properties[property] = value;
  }
  const { groupId } = context;
  if (isGiven(groupId)) properties['$groups'] = { [DEFAULT_GROUP_TYPE]: groupId };
  return properties;
}

const pageProperties = ({ url, path, referrer, title }: JsonObject): JsonObject =>
  present({ $current_url: url, $pathname: path, $referrer: referrer, title });

/** Segment's groups have no types; apps with several put `groupType` into the traits. */
const DEFAULT_GROUP_TYPE = 'group';

function groupProperties(groupId: Json | undefined, { groupType, ...traits }: JsonObject): JsonObject {
  const type = typeof groupType === 'string' && groupType !== '' ? groupType : DEFAULT_GROUP_TYPE;
  const key = groupId ?? null;
  return { $group_type: type, $group_key: key, $group_set: traits, $groups: { [type]: key } };
}

const NONE: JsonObject = {};

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : NONE);

const isGiven = (value: Json | undefined): value is Json => value !== undefined && value !== null && value !== '';

/** Without null, undefined and empty values. */
function present(fields: Record<string, Json | undefined>): JsonObject {
  const given: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (isGiven(value)) given[name] = value;
  return given;
}
