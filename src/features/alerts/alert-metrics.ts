import { Counter, Histogram, type Registry } from 'prom-client';

/** How long checks of alerts take, and how many were left out. */
export interface AlertMetrics {
  /** Call what it returns when the evaluation has ended. */
  startEvaluation(): () => void;
  missed(slots: number): void;
}

const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10];

export function openAlertMetrics(registry: Registry): AlertMetrics {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'cairn_alert_evaluation_seconds',
    help: 'How long one check of an alert takes',
    buckets: BUCKETS,
    registers,
  });
  const missed = new Counter({
    name: 'cairn_alert_slots_missed_total',
    help: 'Slots of alerts that were not checked, because the server stood still',
    registers,
  });
  return {
    startEvaluation() {
      const start = performance.now();
      return () => seconds.observe((performance.now() - start) / 1000);
    },
    missed: (slots) => missed.inc(slots),
  };
}
