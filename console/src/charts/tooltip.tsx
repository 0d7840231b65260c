import { classes } from '../lib/classes.ts';
import { formatNumber } from '../lib/numbers.ts';
import { Change } from './change.tsx';
import type { Annotation, ChartTick } from './chart-data.ts';
import { LongName } from './long-name.tsx';
import { tailLength } from './rules/shorten.ts';
import { placeTooltip, type TooltipContent, type TooltipRow } from './rules/tooltip.ts';
import { Swatch } from './swatch.tsx';

interface TooltipProps {
  tick: ChartTick;
  isUnfinished: boolean;
  content: TooltipContent;
  /** The series under the pointer. */
  hovered: number;
  /** Of the point, in a chart of this size. */
  at: { x: number; y: number; width: number; height: number };
  canPick: boolean;
  /** What happened in this period. */
  annotations: readonly Annotation[];
  format(value: number): string;
}

/** More would cover the chart. */
const MAX_ANNOTATIONS = 5;
const MAX_ANNOTATION_LENGTH = 160;

export function Tooltip({ tick, isUnfinished, content, hovered, at, canPick, annotations, format }: TooltipProps) {
  const style = Object.fromEntries(
    Object.entries(placeTooltip(at)).map(([side, offset]) => [
      side,
      offset === null ? 'auto' : `${Math.round(offset)}px`,
    ]),
  );
  const hasPrevious = content.previousTitle !== null;
  const tail = tailLength(content.rows.map(({ name }) => name));
  return (
    <div class="chart-tip" aria-hidden="true" style={style}>
      <div class="chart-tip-title">
        <b>{tick.title}</b>
        {isUnfinished && <span class="chart-tip-note">Unfinished</span>}
      </div>
      {hasPrevious && <div class="muted">Compared to {content.previousTitle}</div>}
      <div class={classes('chart-tip-rows', hasPrevious && 'has-previous')}>
        {content.rows.map((row) => (
          <Row
            key={row.series}
            row={row}
            tail={tail}
            isHovered={row.series === hovered}
            hasPrevious={hasPrevious}
            format={format}
          />
        ))}
      </div>
      {content.more > 0 && <div class="muted">and {formatNumber(content.more)} more</div>}
      {annotations.length > 0 && (
        <div class="chart-tip-annotations">
          {annotations.slice(0, MAX_ANNOTATIONS).map(({ text }, index) => (
            <span key={index}>
              {text.length > MAX_ANNOTATION_LENGTH ? `${text.slice(0, MAX_ANNOTATION_LENGTH)}…` : text}
            </span>
          ))}
          {annotations.length > MAX_ANNOTATIONS && (
            <span class="muted">and {formatNumber(annotations.length - MAX_ANNOTATIONS)} more</span>
          )}
        </div>
      )}
      {canPick && <div class="muted">Click to view persons</div>}
    </div>
  );
}

interface RowProps {
  row: TooltipRow;
  /** See `LongName`. */
  tail: number;
  isHovered: boolean;
  hasPrevious: boolean;
  format(value: number): string;
}

const Row = ({ row: { name, colour, value, previous, change }, tail, isHovered, hasPrevious, format }: RowProps) => (
  <div class={classes('chart-tip-row', isHovered && 'is-hovered')}>
    <Swatch colour={colour} />
    <LongName name={name} tail={tail} />
    <span class="number">{value === null ? '–' : format(value)}</span>
    {hasPrevious && (
      <>
        <span class="number muted">{previous === null ? '–' : format(previous)}</span>
        <span class="number">
          <Change change={change} />
        </span>
      </>
    )}
  </div>
);
