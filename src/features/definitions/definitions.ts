/** Updates of event and property definitions: owner, description, tags, type, verification. */

import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { PropertyType } from '../../core/events/property-types.ts';
import { cleanTags } from '../../core/tags.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { DefinitionDetails, EventDefinition, PropertyDefinition } from '../../stores/metadata/definitions.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

export interface DefinitionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

export const EVENT_DEFINITION_SCOPE = 'EventDefinition';
export const PROPERTY_DEFINITION_SCOPE = 'PropertyDefinition';

interface DetailChanges {
  description?: string;
  tags?: readonly string[];
  verified?: boolean;
}

export interface EventDefinitionChanges extends DetailChanges {
  ownerId?: number | null;
  postToSlack?: boolean;
}

export interface PropertyDefinitionChanges extends DetailChanges {
  propertyType?: PropertyType | null;
  /** Short for the type Numeric; ignored if a type is given. */
  isNumerical?: boolean;
}

export async function updateEventDefinition(
  deps: DefinitionDeps,
  caller: Caller,
  project: Project,
  id: string,
  changes: EventDefinitionChanges,
): Promise<EventDefinition> {
  return deps.metadata.transaction(async (store) => {
    const before = await store.definitions.getEvent(project.id, id);
    if (!before) throw notFound();
    const { ownerId = before.ownerId, postToSlack = before.postToSlack } = changes;
    if (ownerId !== null && ownerId !== before.ownerId) await requireMember(store, project, ownerId);
    const details = { ...detailsAfter(deps, caller, before, changes), ownerId, postToSlack };
    await store.definitions.updateEvent(project.id, id, details);
    if (before.postToSlack && !postToSlack) await store.outbox.delete(project.id, before.name);
    const after = { ...before, ...details };
    const differences = changesBetween(EVENT_DEFINITION_SCOPE, visibleEvent(before), visibleEvent(after));
    await recordActivity(deps, store, entry(caller, project, EVENT_DEFINITION_SCOPE, after, differences));
    return after;
  });
}

export async function updatePropertyDefinition(
  deps: DefinitionDeps,
  caller: Caller,
  project: Project,
  id: string,
  changes: PropertyDefinitionChanges,
): Promise<PropertyDefinition> {
  return deps.metadata.transaction(async (store) => {
    const before = await store.definitions.getProperty(project.id, id);
    if (!before) throw notFound();
    const details = { ...detailsAfter(deps, caller, before, changes), ...typeAfter(before, changes) };
    await store.definitions.updateProperty(project.id, id, details);
    const after = { ...before, ...details };
    const differences = changesBetween(PROPERTY_DEFINITION_SCOPE, visibleProperty(before), visibleProperty(after));
    await recordActivity(deps, store, entry(caller, project, PROPERTY_DEFINITION_SCOPE, after, differences));
    return after;
  });
}

export async function deleteEventDefinition(
  deps: DefinitionDeps,
  caller: Caller,
  project: Project,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const definition = await store.definitions.getEvent(project.id, id);
    if (!definition) throw notFound();
    await store.definitions.deleteEvent(project.id, definition);
    await store.outbox.delete(project.id, definition.name);
    await recordActivity(deps, store, deletion(caller, project, EVENT_DEFINITION_SCOPE, definition));
  });
}

export async function deletePropertyDefinition(
  deps: DefinitionDeps,
  caller: Caller,
  project: Project,
  id: string,
): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const definition = await store.definitions.getProperty(project.id, id);
    if (!definition) throw notFound();
    await store.definitions.deleteProperty(project.id, definition);
    await recordActivity(deps, store, deletion(caller, project, PROPERTY_DEFINITION_SCOPE, definition));
  });
}

const deletion = (
  caller: Caller,
  project: Project,
  scope: string,
  item: { id: string; name: string },
): ActivityEntry => ({
  ...entry(caller, project, scope, item, []),
  activity: 'deleted',
});

async function requireMember(store: MetadataStore, project: Project, userId: number): Promise<void> {
  if (await store.memberships.get(project.organizationId, userId)) return;
  throw invalid('owner', `There is no member ${userId} in this organization.`, 'does_not_exist');
}

/** Verifying again keeps who verified it first, and when. */
function detailsAfter(
  { clock }: DefinitionDeps,
  caller: Caller,
  before: DefinitionDetails,
  { description = before.description, tags, verified }: DetailChanges,
): DefinitionDetails {
  const now = clock.now();
  const by = caller.user.id;
  const isNew = verified === true && before.verifiedAt === null;
  const { verifiedAt, verifiedBy } =
    verified === false ? { verifiedAt: null, verifiedBy: null } : isNew ? { verifiedAt: now, verifiedBy: by } : before;
  return {
    description,
    tags: tags === undefined ? before.tags : cleanTags(tags),
    verifiedAt,
    verifiedBy,
    updatedAt: now,
    updatedBy: by,
  };
}

function typeAfter(
  before: PropertyDefinition,
  { propertyType, isNumerical }: PropertyDefinitionChanges,
): Pick<PropertyDefinition, 'propertyType' | 'isTypeChosen'> {
  if (propertyType !== undefined) return { propertyType, isTypeChosen: true };
  const { propertyType: current, isTypeChosen } = before;
  if (isNumerical === undefined || isNumerical === (current === 'Numeric')) {
    return { propertyType: current, isTypeChosen };
  }
  return { propertyType: isNumerical ? 'Numeric' : null, isTypeChosen: true };
}

/** The fields in the activity log, with their API names. */
const visible = ({ description, tags, verifiedAt }: DefinitionDetails) => ({
  description,
  tags,
  verified: verifiedAt !== null,
});

const visibleEvent = (definition: EventDefinition) => ({
  owner: definition.ownerId,
  ...visible(definition),
  post_to_slack: definition.postToSlack,
});

const visibleProperty = (definition: PropertyDefinition) => ({
  ...visible(definition),
  property_type: definition.propertyType,
});

const entry = (
  caller: Caller,
  project: Project,
  scope: string,
  { id, name }: { id: string; name: string },
  changes: ActivityEntry['changes'],
): ActivityEntry => ({
  organizationId: project.organizationId,
  projectId: project.id,
  userId: caller.user.id,
  activity: 'updated',
  scope,
  itemId: id,
  name,
  changes,
});
