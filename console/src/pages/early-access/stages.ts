import type { EarlyAccessFeature } from '../../api/early-access.ts';
import type { Tone } from '../../components/states.tsx';

type Stage = EarlyAccessFeature['stage'];

export const STAGES: readonly { value: Stage; label: string; tone: Tone; hint: string }[] = [
  { value: 'draft', label: 'Draft', tone: 'neutral', hint: 'No one can opt in yet.' },
  { value: 'concept', label: 'Concept', tone: 'warn', hint: 'Persons can say that they are interested.' },
  { value: 'alpha', label: 'Alpha', tone: 'warn', hint: 'Persons who opt in get the feature.' },
  {
    value: 'beta',
    label: 'Beta',
    tone: 'good',
    hint: 'Persons who opt in get the feature. SDKs list this stage by default.',
  },
  {
    value: 'general-availability',
    label: 'General availability',
    tone: 'good',
    hint: 'Persons who opted out still do not get the feature. Release it to everyone by the conditions of its flag.',
  },
  { value: 'archived', label: 'Archived', tone: 'neutral', hint: 'What persons chose does not count any more.' },
];

export const stageOf = (stage: Stage): (typeof STAGES)[number] =>
  STAGES.find(({ value }) => value === stage) ?? { value: stage, label: stage, tone: 'neutral', hint: '' };
