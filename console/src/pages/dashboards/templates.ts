/** Dashboards to start with. Each insight is saved as one of its own, so that it can be changed. */
import type { Fields } from '../insights/question.ts';

export interface Template {
  id: string;
  label: string;
  lead: string;
  insights: readonly TemplateInsight[];
}

interface TemplateInsight {
  name: string;
  filters: Fields;
  /** Columns, of twelve. */
  w: number;
}

const RECENT = { date_from: '-30d', interval: 'day' };
const DAU = { math: 'dau', order: 0 };

const trend = (name: string, w: number, events: readonly Fields[], more: Fields = {}): TemplateInsight => ({
  name,
  w,
  filters: { insight: 'TRENDS', ...RECENT, display: 'ActionsLineGraph', events, ...more },
});

/** The values of a property, the most common first. */
const top = (name: string, event: Fields, breakdown: string): TemplateInsight =>
  trend(name, 6, [event], { display: 'ActionsBarValue', breakdown, breakdown_type: 'event' });

const number = (name: string, event: Fields): TemplateInsight =>
  trend(name, 4, [event], { display: 'BoldNumber', compare: true });

const ALL = { id: null, order: 0 };
const PAGEVIEW = { id: '$pageview', order: 0 };
const FLAG_CALL = { id: '$feature_flag_called', order: 0 };

export const TEMPLATES: readonly Template[] = [
  {
    id: 'product',
    label: 'Product',
    lead: 'Active users, growth, retention and stickiness.',
    insights: [
      number('Active users', { ...ALL, ...DAU }),
      number('Events', ALL),
      number('Sessions', { ...ALL, math: 'unique_session' }),
      trend('Daily active users', 6, [{ ...ALL, ...DAU }]),
      trend('Weekly active users', 6, [{ ...ALL, math: 'weekly_active' }]),
      { name: 'Growth', w: 12, filters: { insight: 'LIFECYCLE', ...RECENT, events: [PAGEVIEW] } },
      {
        name: 'Weekly retention',
        w: 6,
        filters: {
          insight: 'RETENTION',
          period: 'Week',
          total_intervals: 8,
          target_entity: { id: null, type: 'events' },
          returning_entity: { id: null, type: 'events' },
        },
      },
      { name: 'Stickiness', w: 6, filters: { insight: 'STICKINESS', ...RECENT, events: [ALL] } },
    ],
  },
  {
    id: 'website',
    label: 'Website',
    lead: 'Visitors, pages, sources and browsers.',
    insights: [
      number('Visitors', { ...PAGEVIEW, ...DAU }),
      number('Pageviews', PAGEVIEW),
      number('Visits', { ...PAGEVIEW, math: 'unique_session' }),
      trend('Daily visitors', 12, [{ ...PAGEVIEW, ...DAU }]),
      top('Top pages', PAGEVIEW, '$pathname'),
      top('Top sources', PAGEVIEW, '$referring_domain'),
      top('Browsers', PAGEVIEW, '$browser'),
      top('Devices', PAGEVIEW, '$device_type'),
      {
        name: 'Where visitors go',
        w: 12,
        filters: { insight: 'PATHS', date_from: '-30d', step_limit: 4, include_event_types: ['$pageview'] },
      },
    ],
  },
  {
    id: 'flags',
    label: 'Feature flags',
    lead: 'Which flags apps ask for, and which values they get.',
    insights: [
      number('Users with flags', { ...FLAG_CALL, ...DAU }),
      number('Flag calls', FLAG_CALL),
      trend('Users by flag', 12, [{ ...FLAG_CALL, ...DAU }], { breakdown: '$feature_flag', breakdown_type: 'event' }),
      top('Calls by flag', FLAG_CALL, '$feature_flag'),
      top('Calls by value', FLAG_CALL, '$feature_flag_response'),
    ],
  },
];
