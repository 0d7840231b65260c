import { Type } from '@sinclair/typebox';
import {
  CHANNEL_RULE_KEYS,
  CHANNEL_RULE_OPERATORS,
  COOKIELESS_OFF,
  COOKIELESS_STATEFUL,
  COOKIELESS_STATELESS,
} from '../../../core/web/web-settings.ts';

const PATTERN = { minLength: 1, maxLength: 400, keepSpaces: true };
const Host = Type.String({ minLength: 1, maxLength: 253 });
const oneOf = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));

const PathRule = Type.Object({
  pattern: Type.String(PATTERN),
  replacement: Type.String({ maxLength: 400, keepSpaces: true }),
});

const GOAL = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  type: oneOf(['event', 'action', 'path'] as const),
  value: Type.String(PATTERN),
};

const CHANNEL = {
  channel: Type.String({ minLength: 1, maxLength: 100 }),
  combiner: Type.Union([Type.Literal('AND'), Type.Literal('OR')]),
};
const CHANNEL_ITEM = { key: oneOf(CHANNEL_RULE_KEYS), op: oneOf(CHANNEL_RULE_OPERATORS) };
const Values = Type.Array(Type.String({ maxLength: 400, keepSpaces: true }), { maxItems: 100 });

const PLAIN = {
  geoip: Type.Boolean(),
  bounce_seconds: Type.Integer({ minimum: 1, maximum: 120 }),
  path_rules: Type.Array(PathRule, { maxItems: 50 }),
  own_domains: Type.Array(Host, { maxItems: 100 }),
  own_addresses: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 100 }),
  hidden_referrers: Type.Array(Host, { maxItems: 500 }),
};

export const WebSettingsSchema = Type.Object({
  ...PLAIN,
  goals: Type.Array(Type.Object({ id: Type.String(), ...GOAL })),
  channel_rules: Type.Array(
    Type.Object({ ...CHANNEL, items: Type.Array(Type.Object({ ...CHANNEL_ITEM, value: Values })) }),
  ),
});

/** Only what is sent is changed. A goal without an id gets one; one value may stand without a list around it. */
export const WebSettingsWriteSchema = Type.Partial(
  Type.Object({
    ...PLAIN,
    goals: Type.Array(Type.Object({ id: Type.Optional(Type.String({ maxLength: 100 })), ...GOAL }), { maxItems: 20 }),
    channel_rules: Type.Array(
      Type.Object({
        ...CHANNEL,
        items: Type.Array(
          Type.Object({
            ...CHANNEL_ITEM,
            value: Type.Optional(Type.Union([Values, Type.String({ maxLength: 400, keepSpaces: true })])),
          }),
          { maxItems: 20 },
        ),
      }),
      { maxItems: 50 },
    ),
  }),
);

export const CookielessModeSchema = Type.Union([
  Type.Literal(COOKIELESS_OFF),
  Type.Literal(COOKIELESS_STATELESS),
  Type.Literal(COOKIELESS_STATEFUL),
]);
