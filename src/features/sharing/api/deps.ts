import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { OpenShareDeps } from '../open-share.ts';
import type { SharedViewDeps } from '../shared-views.ts';

export interface SharingApiDeps extends RouteDeps {
  ids: Ids;
}

export interface SharingPageDeps extends OpenShareDeps, SharedViewDeps {
  config: { publicUrl: string | null };
}
