import type { CohortDeps } from '../../cohorts/cohorts.ts';
import type { DefinitionDeps } from '../../definitions/definitions.ts';
import type { FlagRouteDeps } from '../../flags/api/deps.ts';

export interface PromotionApiDeps extends FlagRouteDeps, Omit<CohortDeps, keyof FlagRouteDeps>, DefinitionDeps {}
