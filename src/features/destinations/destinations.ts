/** Creates and changes destinations, and records who did. Only admins: they decide where a project's events go. */
import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { newWebhookSecret, requireWebhookAddress } from '../deliveries/webhook-address.ts';
import { encryptSetting } from './encrypt-setting.ts';
import { checkFilters } from './read-destination-filters.ts';
import { serverOf } from './rules/address.ts';
import {
  type DestinationInputs,
  type Header,
  isSecretHeader,
  presentInputs,
  readInputs,
} from './rules/destination-inputs.ts';
import { readMasking } from './rules/masking.ts';
import { aboutHeader, type SendDeps } from './send/send-events.ts';
import { type Destination, HEALTHY } from './store/destination-store.ts';

export interface DestinationDeps extends Pick<SendDeps, 'secretKey'> {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null; webhookAllowPrivate: boolean };
}

/** As they were sent; only what is given changes. */
export interface DestinationChanges {
  name?: string;
  description?: string;
  enabled?: boolean;
  filters?: Json;
  inputs?: Json;
  masking?: Json;
  executionOrder?: number | null;
  rollSecret?: boolean;
}

/** A destination, and its signing secret where that is new: it is shown once. */
interface SavedDestination {
  destination: Destination;
  secret: string | null;
}

const SCOPE = 'HogFunction';
const MAX_DESTINATIONS = 100;

export async function createDestination(
  deps: DestinationDeps,
  caller: Caller,
  project: Project,
  changes: DestinationChanges,
): Promise<SavedDestination> {
  const now = deps.clock.now();
  const id = deps.ids.uuid();
  const inputs = sealHeaders(deps, id, readInputs(changes.inputs, null), null);
  requireWebhookAddress(inputs.url, 'inputs', deps.config.webhookAllowPrivate);
  const secret = newWebhookSecret(deps.ids);
  const destination: Destination = {
    id,
    projectId: project.id,
    name: changes.name ?? new URL(inputs.url).host,
    description: changes.description ?? '',
    enabled: changes.enabled ?? false,
    filters: await checkFilters(deps.metadata, project, changes.filters, now),
    inputs,
    masking: readMasking(changes.masking),
    executionOrder: changes.executionOrder ?? null,
    secret,
    previousSecret: null,
    rolledAt: null,
    ...HEALTHY,
    revision: 1,
    createdAt: now,
    createdBy: caller.user.id,
    updatedAt: now,
  };
  await deps.metadata.transaction(async (store) => {
    if ((await store.destinations.count(project.id)) >= MAX_DESTINATIONS)
      throw invalid(undefined, `A project has at most ${MAX_DESTINATIONS} destinations. Delete one.`, 'limit_reached');
    await store.destinations.create(destination);
    await recordActivity(deps, store, { ...about(caller, project, destination), activity: 'created', changes: null });
  });
  return { destination, secret };
}

/** What is saved again is tried again. An address on another server gets a new secret, and none of the headers. */
export async function updateDestination(
  deps: DestinationDeps,
  caller: Caller,
  project: Project,
  id: string,
  changes: DestinationChanges,
): Promise<SavedDestination> {
  const now = deps.clock.now();
  const filters =
    changes.filters === undefined ? null : await checkFilters(deps.metadata, project, changes.filters, now);
  return deps.metadata.transaction(async (store) => {
    const before = await getDestination(store, project, id);
    const inputs = sealHeaders(deps, id, readInputs(changes.inputs, before.inputs), before.inputs);
    if (inputs.url !== before.inputs.url) requireWebhookAddress(inputs.url, 'inputs', deps.config.webhookAllowPrivate);
    const isMoved = serverOf(inputs.url) !== serverOf(before.inputs.url);
    const isRolled = !isMoved && changes.rollSecret === true;
    const secret = isMoved || isRolled ? newWebhookSecret(deps.ids) : null;
    const { name, description, enabled, executionOrder } = changes;
    const destination: Destination = {
      ...before,
      ...HEALTHY,
      name: name ?? before.name,
      description: description ?? before.description,
      enabled: enabled ?? before.enabled,
      executionOrder: executionOrder === undefined ? before.executionOrder : executionOrder,
      filters: filters ?? before.filters,
      inputs,
      masking: changes.masking === undefined ? before.masking : readMasking(changes.masking),
      secret: secret ?? before.secret,
      previousSecret: isMoved ? null : isRolled ? before.secret : before.previousSecret,
      rolledAt: isMoved ? null : isRolled ? now : before.rolledAt,
      revision: before.revision + 1,
      updatedAt: now,
    };
    await store.destinations.update(destination);
    const differences = changesBetween(SCOPE, visible(before), visible(destination));
    if (isRolled) differences.push({ type: SCOPE, action: 'changed', field: 'secret', before: null, after: null });
    const entry = { ...about(caller, project, destination), activity: 'updated', changes: differences };
    await recordActivity(deps, store, entry);
    return { destination, secret };
  });
}

/** What waits for it is not sent any more. */
export function deleteDestination(deps: DestinationDeps, caller: Caller, project: Project, id: string): Promise<void> {
  return deps.metadata.transaction(async (store) => {
    const destination = await getDestination(store, project, id);
    await store.destinations.delete(id);
    await recordActivity(deps, store, { ...about(caller, project, destination), activity: 'deleted', changes: null });
  });
}

export async function getDestination(
  store: MetadataStore,
  project: Pick<Project, 'id'>,
  id: string,
): Promise<Destination> {
  const destination = await store.destinations.get(project.id, id);
  if (!destination) throw notFound();
  return destination;
}

/** Encrypts headers that are new. Those that are kept stay as they are, and only for the server that they were for. */
function sealHeaders(
  { secretKey }: DestinationDeps,
  id: string,
  inputs: DestinationInputs,
  before: DestinationInputs | null,
): DestinationInputs {
  const isMoved = before !== null && serverOf(inputs.url) !== serverOf(before.url);
  const headers = inputs.headers.map((header): Header => {
    const { name, value } = header;
    if (!isSecretHeader(name)) return header;
    const stored = before?.headers.find((one) => one.value === value && sameName(one.name, name))?.value;
    if (stored !== undefined && isMoved)
      throw invalid('inputs', `Enter the header ${name} again: the address is on another server now.`);
    const setting = { value, stored, about: aboutHeader(id, name) };
    return { name, value: encryptSetting(secretKey(), setting, 'inputs', 'Headers') };
  });
  return { ...inputs, headers };
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** For the activity log: without the path of the address, which may be a secret. */
const visible = (one: Destination): Record<string, Json> => ({
  name: one.name,
  description: one.description,
  enabled: one.enabled,
  filters: one.filters,
  inputs: presentInputs(one.inputs, `${serverOf(one.inputs.url)}/…`),
  masking: one.masking as JsonObject | null,
  execution_order: one.executionOrder,
});

const about = (caller: Caller, project: Project, { id, name }: Destination) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: SCOPE,
    itemId: id,
    name,
  }) satisfies Partial<ActivityEntry>;
