/** User paths as a Sankey diagram. */
import { type SankeyGraph, type SankeyLink, type SankeyNode, sankey, sankeyLinkHorizontal } from 'd3-sankey';
import { useMemo, useRef } from 'preact/hooks';
import { LongName } from '../../../charts/long-name.tsx';
import { colourOf } from '../../../charts/rules/colours.ts';
import { shorten } from '../../../charts/rules/shorten.ts';
import { NumberButton } from '../../../components/number-button.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { formatDuration } from '../../../lib/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { useSize } from '../../../lib/use-size.ts';
import { nodeItem, nodeLabel, nodeStep, type PathEdge, pathDropOffs } from '../answers.ts';
import type { ViewProps } from './answer-props.ts';

interface PathNode {
  key: string;
}
interface Edge {
  edge: PathEdge;
  /** Its index in the response. */
  at: number;
}
type Node = SankeyNode<PathNode, Edge>;
type Link = SankeyLink<PathNode, Edge>;

const LABEL = 13;

export function Sankey(props: ViewProps<'paths'>) {
  const { question, answer, persons, onPick, onContinue, small = false } = props;
  const { edges } = answer;
  const dropOffs = useMemo(() => pathDropOffs(edges, question), [edges, question]);
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const graph = useMemo(() => layout(edges, width, small), [edges, width, small]);
  return (
    <div class="stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section class="sankey" ref={frame} tabIndex={0} aria-label="User paths">
        {graph && (
          <Diagram
            graph={graph}
            dropOffs={dropOffs}
            onPick={(key) => persons.has(key) && onPick(key)}
            onContinue={onContinue}
          />
        )}
      </section>
      {!small && <EdgeTable edges={edges} dropOffs={dropOffs} onPick={onPick} onContinue={onContinue} />}
    </div>
  );
}

interface Layout extends SankeyGraph<PathNode, Edge> {
  width: number;
  height: number;
  columnWidth: number;
}

const COLUMN = 150;

/** Keys contain the step (`2_/pricing`), so there are no cycles, and every column is a step. */
function layout(edges: readonly PathEdge[], width: number, small: boolean): Layout | null {
  if (width === 0 || edges.length === 0) return null;
  const keys = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  const columns = new Set(keys.map(nodeStep));
  const perColumn = Math.max(...[...columns].map((step) => keys.filter((key) => nodeStep(key) === step).length));
  const height = Math.max(small ? 200 : 260, perColumn * 38);
  // A tile shows all of it; the page scrolls.
  const totalWidth = small ? width : Math.max(width, columns.size * COLUMN);
  const first = Math.min(...columns);
  const compute = sankey<PathNode, Edge>()
    .nodeId(({ key }) => key)
    .nodeAlign(({ key }) => nodeStep(key) - first)
    .nodeWidth(10)
    .nodePadding(26)
    .extent([
      [1, LABEL + 6],
      [totalWidth - 1, height - 4],
    ]);
  const graph = compute({
    nodes: keys.map((key) => ({ key })),
    links: edges.map((edge, at) => ({ source: edge.source, target: edge.target, value: edge.value, edge, at })),
  });
  return { ...graph, width: totalWidth, height, columnWidth: totalWidth / columns.size };
}

const nodeOf = (end: Link['source']): Node => end as Node;

interface PickProps {
  /** By the key of a node. */
  dropOffs: ReadonlyMap<string, number>;
  onPick(key: string): void;
  onContinue: ((item: string) => void) | undefined;
}

function Diagram({ graph, ...picks }: PickProps & { graph: Layout }) {
  const path = sankeyLinkHorizontal<PathNode, Edge>();
  return (
    <svg width={graph.width} height={graph.height} viewBox={`0 0 ${graph.width} ${graph.height}`} aria-hidden="true">
      <g fill="none">
        {graph.links.map((link) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table below is the keyboard alternative
          <path
            key={link.at}
            class="sankey-edge"
            d={path(link) ?? ''}
            stroke-width={Math.max(1.5, link.width ?? 1)}
            onClick={() => picks.onPick(`${link.at}`)}
          >
            <title>
              {`${nodeLabel(nodeOf(link.source).key)} → ${nodeLabel(nodeOf(link.target).key)}: ${formatNumber(link.value)}`}
            </title>
          </path>
        ))}
      </g>
      {graph.nodes.map((node) => (
        <NodeMark key={node.key} node={node} graph={graph} {...picks} />
      ))}
    </svg>
  );
}

function NodeMark({ node, graph, dropOffs, onPick, onContinue }: PickProps & { node: Node; graph: Layout }) {
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0, value = 0, key } = node;
  // Labels of the last column go to the left.
  const isLast = x1 > graph.width - graph.columnWidth / 2 && graph.width > graph.columnWidth;
  const maxLength = Math.floor((graph.columnWidth - 20) / 7);
  const name = shorten(pathOf(nodeLabel(key)), maxLength - 6);
  const dropped = dropOffs.get(key) ?? 0;
  const height = Math.max(2, y1 - y0);
  const droppedHeight = value === 0 ? 0 : (height * dropped) / value;
  const showNext = onContinue && (() => onContinue(nodeItem(key)));
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the table below is the keyboard alternative */}
      <g class={showNext && 'sankey-node'} onClick={showNext}>
        <rect x={x0} y={y0} width={x1 - x0} height={height} rx="2" fill={colourOf(nodeStep(key) - 1)} />
        <text class="sankey-label" x={isLast ? x1 : x0} y={y0 - 5} text-anchor={isLast ? 'end' : 'start'}>
          {name} <tspan class="sankey-count">{formatNumber(value)}</tspan>
          <title>{showNext ? `${nodeLabel(key)}. Click to show what follows.` : nodeLabel(key)}</title>
        </text>
      </g>
      {dropped > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the table below is the keyboard alternative
        <rect
          class="sankey-dropped"
          x={x1}
          y={y1 - droppedHeight}
          width={14}
          height={Math.max(2, droppedHeight)}
          onClick={() => onPick(`d.${key}`)}
        >
          <title>{`${formatNumber(dropped)} dropped off after ${nodeLabel(key)}`}</title>
        </rect>
      )}
    </>
  );
}

const pathOf = (url: string): string => /^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1] ?? url;

function EdgeTable({ edges, dropOffs, onPick, onContinue }: PickProps & { edges: readonly PathEdge[] }) {
  // Several edges lead to a node; what happened after it is said once.
  const isFirst = new Set(new Map(edges.map(({ target }, at) => [target, at] as const).reverse()).values());
  const columns: Column<Edge>[] = [
    { id: 'step', title: 'Step', isNumber: true, isWide: true, cell: ({ edge }) => nodeStep(edge.source) },
    { id: 'from', title: 'From', cell: ({ edge }) => <LongName name={pathOf(nodeLabel(edge.source))} /> },
    {
      id: 'to',
      title: 'To',
      cell: ({ edge }) => (
        <button
          type="button"
          class="path-item"
          aria-label={`Show what follows ${nodeLabel(edge.target)}`}
          onClick={() => onContinue?.(nodeItem(edge.target))}
        >
          <LongName name={pathOf(nodeLabel(edge.target))} />
        </button>
      ),
    },
    {
      id: 'count',
      title: 'Count',
      isNumber: true,
      cell: ({ edge, at }) => (
        <NumberButton
          label={`${nodeLabel(edge.source)} to ${nodeLabel(edge.target)}, ${formatNumber(edge.value)}`}
          onPick={() => onPick(`${at}`)}
        >
          {formatNumber(edge.value)}
        </NumberButton>
      ),
    },
    {
      id: 'dropped',
      title: 'Dropped off after',
      isNumber: true,
      isWide: true,
      cell: ({ edge: { target }, at }) => {
        const count = dropOffs.get(target) ?? 0;
        if (count === 0 || !isFirst.has(at)) return '';
        const label = `${formatNumber(count)} dropped off after ${nodeLabel(target)}`;
        return (
          <NumberButton label={label} onPick={() => onPick(`d.${target}`)}>
            {formatNumber(count)}
          </NumberButton>
        );
      },
    },
    {
      id: 'time',
      title: 'Average time',
      isNumber: true,
      isWide: true,
      cell: ({ edge }) => formatDuration(edge.average_conversion_time),
    },
  ];
  return (
    <div class="path-table no-picture">
      <Table
        label="Paths, most common first"
        columns={columns}
        rows={edges.map((edge, at) => ({ edge, at }))}
        rowKey={({ at }) => at}
      />
    </div>
  );
}
