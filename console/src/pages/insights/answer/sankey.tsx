/** Ways that people take, as bands between places: the wider, the more often. */
import { type SankeyGraph, type SankeyLink, type SankeyNode, sankey, sankeyLinkHorizontal } from 'd3-sankey';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { seriesColour } from '../../../components/chart/theme.ts';
import { type Column, Table } from '../../../components/table.tsx';
import { formatDuration, formatNumber } from '../../../lib/format.ts';
import { type PathEdge, placeOf } from '../answers.ts';
import type { Part } from './answer-props.ts';
import { NumberButton } from './number-button.tsx';

interface Place {
  key: string;
}
interface Edge {
  edge: PathEdge;
  /** Its place in the answer. */
  at: number;
}
type Node = SankeyNode<Place, Edge>;
type Link = SankeyLink<Place, Edge>;

const LABEL = 13;

export function Sankey({ answer: { edges }, people, onPick, small = false }: Part<'paths'>) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const graph = useMemo(() => layOut(edges, width, small), [edges, width, small]);
  return (
    <div class="stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section class="sankey" ref={frame} tabIndex={0} aria-label="Paths">
        {graph && <Drawing graph={graph} onPick={(at) => people.has(`${at}`) && onPick(`${at}`)} />}
      </section>
      {!small && <EdgeTable edges={edges} onPick={onPick} />}
    </div>
  );
}

function useWidth(frame: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

interface Laid extends SankeyGraph<Place, Edge> {
  width: number;
  height: number;
  columnWidth: number;
}

const COLUMN = 150;

/** Positions are in the keys (`2_/pricing`), so there are no circles, and every column is one step of the way. */
function layOut(edges: readonly PathEdge[], width: number, small: boolean): Laid | null {
  if (width === 0 || edges.length === 0) return null;
  const keys = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  const columns = new Set(keys.map(stepOf));
  const perColumn = Math.max(...[...columns].map((step) => keys.filter((key) => stepOf(key) === step).length));
  const height = Math.max(small ? 200 : 260, perColumn * 38);
  const whole = Math.max(width, columns.size * COLUMN);
  const first = Math.min(...columns);
  const lay = sankey<Place, Edge>()
    .nodeId(({ key }) => key)
    .nodeAlign(({ key }) => stepOf(key) - first)
    .nodeWidth(10)
    .nodePadding(26)
    .extent([
      [1, LABEL + 6],
      [whole - 1, height - 4],
    ]);
  const graph = lay({
    nodes: keys.map((key) => ({ key })),
    links: edges.map((edge, at) => ({ source: edge.source, target: edge.target, value: edge.value, edge, at })),
  });
  return { ...graph, width: whole, height, columnWidth: whole / columns.size };
}

const stepOf = (key: string): number => Number.parseInt(key, 10) || 0;
const nodeOf = (end: Link['source']): Node => end as Node;

function Drawing({ graph, onPick }: { graph: Laid; onPick(at: number): void }) {
  const path = sankeyLinkHorizontal<Place, Edge>();
  return (
    <svg width={graph.width} height={graph.height} viewBox={`0 0 ${graph.width} ${graph.height}`} aria-hidden="true">
      <g fill="none">
        {graph.links.map((link) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table below says and does the same for keys
          <path
            key={link.at}
            class="sankey-edge"
            d={path(link) ?? ''}
            stroke-width={Math.max(1.5, link.width ?? 1)}
            onClick={() => onPick(link.at)}
          >
            <title>
              {`${placeOf(nodeOf(link.source).key)} → ${placeOf(nodeOf(link.target).key)}: ${formatNumber(link.value)}`}
            </title>
          </path>
        ))}
      </g>
      {graph.nodes.map((node) => (
        <NodeMark key={node.key} node={node} graph={graph} />
      ))}
    </svg>
  );
}

function NodeMark({ node, graph }: { node: Node; graph: Laid }) {
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0, value = 0, key } = node;
  // The last column has no room to its right.
  const isLast = x1 > graph.width - graph.columnWidth / 2 && graph.width > graph.columnWidth;
  const room = Math.floor((graph.columnWidth - 20) / 7);
  const name = shortened(placeOf(key), room - 6);
  return (
    <g>
      <rect x={x0} y={y0} width={x1 - x0} height={Math.max(2, y1 - y0)} rx="2" fill={seriesColour(stepOf(key) - 1)} />
      <text class="sankey-label" x={isLast ? x1 : x0} y={y0 - 5} text-anchor={isLast ? 'end' : 'start'}>
        {name} <tspan class="sankey-count">{formatNumber(value)}</tspan>
        <title>{placeOf(key)}</title>
      </text>
    </g>
  );
}

const pathOf = (place: string): string => /^https?:\/\/[^/]+(\/.*)$/.exec(place)?.[1] ?? place;

const PlaceName = ({ place }: { place: string }) => (
  <span class="cut" title={place}>
    {pathOf(place)}
  </span>
);

/** An address is known by its end. */
function shortened(place: string, length: number): string {
  const path = pathOf(place);
  return path.length <= length ? path : `${path.slice(0, 4)}…${path.slice(5 - length)}`;
}

function EdgeTable({ edges, onPick }: { edges: readonly PathEdge[]; onPick(key: string): void }) {
  const columns: Column<Edge>[] = [
    { id: 'step', title: 'Step', isNumber: true, isWide: true, cell: ({ edge }) => stepOf(edge.source) },
    { id: 'from', title: 'From', cell: ({ edge }) => <PlaceName place={placeOf(edge.source)} /> },
    { id: 'to', title: 'To', cell: ({ edge }) => <PlaceName place={placeOf(edge.target)} /> },
    {
      id: 'count',
      title: 'Times',
      isNumber: true,
      cell: ({ edge, at }) => (
        <NumberButton
          label={`${placeOf(edge.source)} to ${placeOf(edge.target)}, ${formatNumber(edge.value)}`}
          onPick={() => onPick(`${at}`)}
        >
          {formatNumber(edge.value)}
        </NumberButton>
      ),
    },
    {
      id: 'time',
      title: 'Takes',
      isNumber: true,
      isWide: true,
      cell: ({ edge }) => formatDuration(edge.average_conversion_time),
    },
  ];
  return (
    <div class="ways">
      <Table
        label="Ways, the most taken first"
        columns={columns}
        rows={edges.map((edge, at) => ({ edge, at }))}
        rowKey={({ at }) => at}
      />
    </div>
  );
}
