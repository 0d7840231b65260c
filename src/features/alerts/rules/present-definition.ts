/** A definition as the API has it. */
import type { Hysteresis, Threshold } from '../../../core/alerts/judge.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { type AlertConfig, type AlertDefinition, lengthText } from './alert-definition.ts';

export const presentDefinition = ({
  condition,
  threshold,
  config,
  interval,
  skipWeekend,
  hysteresis,
}: AlertDefinition) => ({
  condition: { type: condition },
  threshold: threshold === null ? null : { configuration: presentThreshold(threshold) },
  config: presentConfig(config),
  calculation_interval: interval,
  skip_weekend: skipWeekend,
  hysteresis: presentHysteresis(hysteresis),
});

export const presentThreshold = (threshold: Threshold): JsonObject =>
  threshold.type === 'deviation'
    ? { type: 'deviation', k: threshold.k, direction: threshold.direction }
    : { type: threshold.type, bounds: { lower: threshold.lower, upper: threshold.upper } };

const presentHysteresis = ({ for: inRow, clearFor, margin, remindEveryMs }: Hysteresis) => ({
  for: inRow,
  clear_for: clearFor,
  margin,
  remind_every: remindEveryMs === null ? null : lengthText(remindEveryMs),
});

function presentConfig(config: AlertConfig): JsonObject {
  switch (config.type) {
    case 'TrendsAlertConfig':
      return {
        type: config.type,
        series_index: config.seriesIndex,
        check_ongoing_interval: config.checkOngoing,
      };
    case 'SilentEventConfig':
      return { type: config.type, event: config.event, silent_for: lengthText(config.silentForMs) };
    case 'FlagChangeConfig':
      return {
        type: config.type,
        flag_ids: config.flagIds === null ? null : [...config.flagIds],
        tags: config.tags ? [...config.tags] : null,
        kinds: [...config.kinds],
      };
    case 'FunnelAlertConfig':
      return { type: config.type, step: config.step };
    case 'RetentionAlertConfig':
      return { type: config.type, period: config.period };
    case 'LifecycleAlertConfig':
      return { type: config.type, status: config.status };
    case 'LagConfig':
    case 'DiskConfig':
    case 'NewErrorConfig':
    case 'SqlAlertConfig':
      return { type: config.type };
  }
}
