import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Feature } from '../feature.ts';
import { WebhookSender } from './webhook-sender.ts';

interface WebhookFeatureDeps {
  metadata: MetadataStore;
  clock: Clock;
  log: Logger;
  config: { publicUrl: string | null; webhookAllowPrivate: boolean };
}

export const webhooksFeature: Feature<WebhookFeatureDeps> = {
  name: 'webhooks',
  leaderTasks: ({ metadata, clock, log, config }) => [
    new WebhookSender({
      metadata,
      clock,
      logger: log,
      publicUrl: config.publicUrl,
      isPrivateAllowed: config.webhookAllowPrivate,
    }),
  ],
};
