/** What is concluded from an experiment, in its dialogs: shows what the results say against it. */
import type { Experiment, Results } from '../../api/experiments.ts';
import { Select, TextArea } from '../../components/field.tsx';
import { Banner } from '../../components/states.tsx';
import { againstConclusion, CONCLUSION_OPTIONS, NO_CONCLUSION } from './conclusions.ts';

export interface ConclusionDraft {
  conclusion: string;
  comment: string;
}

/** Nothing is selected beforehand, whatever the metrics say. */
export const conclusionOf = ({ conclusion, conclusion_comment: comment }: Experiment): ConclusionDraft => ({
  conclusion: conclusion ?? NO_CONCLUSION,
  comment: comment ?? '',
});

/** Without what was left empty. */
export const conclusionBody = ({ conclusion, comment }: ConclusionDraft): Record<string, string> => ({
  ...(conclusion === NO_CONCLUSION ? {} : { conclusion }),
  ...(comment === '' ? {} : { conclusion_comment: comment }),
});

interface ConclusionFieldsProps {
  draft: ConclusionDraft;
  results: Results | null;
  onChange(draft: ConclusionDraft): void;
}

export function ConclusionFields({ draft, results, onChange }: ConclusionFieldsProps) {
  const against = results && againstConclusion(draft.conclusion, results);
  return (
    <>
      <Select
        label="Conclusion"
        value={draft.conclusion}
        onChange={(conclusion) => onChange({ ...draft, conclusion })}
        options={CONCLUSION_OPTIONS}
      />
      {against && <Banner tone="warn">{against}</Banner>}
      <TextArea
        label="Comment"
        value={draft.comment}
        onInput={(comment) => onChange({ ...draft, comment })}
        placeholder="What did you learn?"
      />
    </>
  );
}
