import { Type } from '@sinclair/typebox';
import { isJsonObject, type Json } from '../../../core/json/json.ts';
import { DateTime, iso, nullable, presentUserOrNull, UserSummarySchema } from '../../../http/schemas/common.ts';
import type { User } from '../../../stores/metadata/accounts.ts';
import type { Action } from '../../../stores/metadata/actions.ts';

const Text = nullable(Type.String());

const StepSchema = Type.Object({
  event: Text,
  url: Text,
  url_matching: Type.String({ description: '`contains`, `exact` or `regex`, of `$current_url`.' }),
  properties: Type.Unknown({ description: 'Filters, as everywhere.' }),
  tag_name: Text,
  text: Text,
  href: Text,
  selector: Text,
});

export const ActionSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  post_to_slack: Type.Boolean(),
  slack_message_format: Type.String(),
  steps: Type.Array(StepSchema),
  created_at: DateTime,
  created_by: nullable(UserSummarySchema),
  deleted: Type.Boolean(),
  is_calculating: Type.Boolean(),
  last_calculated_at: nullable(DateTime),
  team_id: Type.Integer(),
  is_action: Type.Boolean(),
});

export const ActionListSchema = Type.Object({ results: Type.Array(ActionSchema) });

const Name = Type.String({ minLength: 1, maxLength: 400 });

const writable = {
  description: nullable(Type.String({ maxLength: 10_000 })),
  tags: Type.Array(Type.String({ maxLength: 255 }), { fromText: true, maxItems: 1000 }),
  steps: Type.Array(Type.Unknown(), {
    fromText: true,
    maxItems: 1000,
    description:
      'An event belongs to the action if it fits one of them: `{event, url, url_matching, properties}`, and of `$autocapture` also `{tag_name, text, href, selector}`.',
  }),
  deleted: Type.Boolean(),
  post_to_slack: Type.Boolean({ description: 'Always false: webhooks are sent for events.', examples: [false] }),
};

export const ActionCreateSchema = Type.Composite([Type.Object({ name: Name }), Type.Partial(Type.Object(writable))]);
export const ActionChangeSchema = Type.Partial(Type.Object({ name: Name, ...writable }));

export const presentAction = (action: Action, users: ReadonlyMap<number, User>) => ({
  id: action.id,
  name: action.name,
  description: action.description,
  tags: action.tags,
  post_to_slack: false,
  slack_message_format: '',
  steps: action.steps.map(presentStep),
  created_at: iso(action.createdAt),
  created_by: presentUserOrNull(users, action.createdBy),
  deleted: action.deleted,
  is_calculating: false,
  last_calculated_at: null,
  team_id: action.projectId,
  is_action: true,
});

function presentStep(step: Json) {
  const given = isJsonObject(step) ? step : {};
  const text = (name: string): string | null => {
    const value = given[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    event: text('event'),
    url: text('url'),
    url_matching: text('url_matching') ?? 'contains',
    properties: given['properties'] ?? [],
    tag_name: text('tag_name'),
    text: text('text'),
    href: text('href'),
    selector: text('selector'),
  };
}
