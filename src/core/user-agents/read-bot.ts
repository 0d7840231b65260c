import { isbot } from 'isbot';

/** Who fetches a page where no person does. */
export type Bot = {
  $is_bot: true;
  $bot_name?: string;
  $bot_category: string;
};

/** By category: part of the user agent, in any case (`^`: at its beginning), and the name where it differs. */
const BOTS: Readonly<Record<string, readonly (string | readonly [mark: string, name: string])[]>> = {
  ai_crawler: [
    'GPTBot',
    ['Google-CloudVertexBot', 'Google Cloud Vertex'],
    ['Google-Extended', 'Google AI'],
    'GoogleOther',
    ['ClaudeBot', 'Claude'],
    ['Claude-Web', 'Claude Web'],
    ['anthropic-ai', 'Anthropic'],
    ['CCBot', 'Common Crawl'],
    ['meta-externalagent', 'Meta AI'],
    ['Bytespider', 'ByteDance'],
    ['TikTokSpider', 'TikTok AI'],
    ['cohere-ai', 'Cohere'],
    'Diffbot',
    ['omgili', 'Webz.io'],
    ['Timpibot', 'Timpi'],
    ['Amazonbot', 'Amazon'],
    ['PetalBot', 'Petal'],
    'Brightbot',
  ],
  ai_search: [
    ['Claude-SearchBot', 'Claude Search'],
    ['PerplexityBot', 'Perplexity'],
    ['OAI-SearchBot', 'OpenAI Search'],
    ['Applebot-Extended', 'Apple AI'],
    ['Applebot/', 'Applebot'],
  ],
  ai_assistant: [
    ['Claude-User', 'Claude User'],
    ['Perplexity-User', 'Perplexity User'],
    ['ChatGPT-User', 'ChatGPT'],
    ['meta-externalfetcher', 'Meta Fetcher'],
    ['DuckAssistBot', 'DuckDuckGo AI'],
    ['MistralAI-User', 'Mistral AI'],
    ['Google-NotebookLM', 'NotebookLM'],
  ],
  search_crawler: [
    ['AdsBot-Google', 'Google Ads'],
    ['Google-InspectionTool', 'Google Inspection'],
    'Googlebot',
    ['bingbot', 'Bingbot'],
    ['YandexBot', 'Yandex'],
    ['Baiduspider', 'Baidu'],
    ['DuckDuckBot', 'DuckDuckGo'],
    ['Slurp', 'Yahoo'],
    ['Yeti/', 'Naver'],
  ],
  seo_crawler: [
    ['AhrefsSiteAudit', 'Ahrefs Site Audit'],
    ['AhrefsBot', 'Ahrefs'],
    'Barkrowler',
    ['SemrushBot', 'Semrush'],
    ['SERankingBacklinksBot', 'SE Ranking'],
    ['MJ12bot', 'Majestic'],
    ['DotBot', 'Moz'],
    'Lighthouse',
  ],
  social_crawler: [
    ['FacebookBot', 'Facebook Bot'],
    ['facebookexternalhit', 'Facebook'],
    ['TelegramBot', 'Telegram'],
    ['Twitterbot', 'Twitter'],
    ['LinkedInBot', 'LinkedIn'],
    ['Pinterestbot', 'Pinterest'],
    ['Slackbot', 'Slack'],
    ['Slack-ImgProxy', 'Slack Image Proxy'],
    ['^WhatsApp/', 'WhatsApp'],
    ['GoogleImageProxy', 'Google Image Proxy'],
    'Iframely',
  ],
  monitoring: ['Pingdom', 'UptimeRobot', 'Site24x7', 'StatusCake', 'Datadog'],
  http_client: [
    ['curl/', 'curl'],
    'Wget',
    ['python-requests', 'Python Requests'],
    ['axios', 'Axios'],
    ['node-fetch', 'Node Fetch'],
    ['Go-http-client', 'Go HTTP'],
    ['okhttp', 'OkHttp'],
    ['Apache-HttpClient', 'Apache HTTP'],
    ['libwww-perl', 'LWP'],
    'Scrapy',
  ],
  headless_browser: [['HeadlessChrome', 'Headless Chrome'], 'PhantomJS', 'Puppeteer', 'Playwright', 'Selenium'],
};

interface BotRule {
  mark: string;
  isAtStart: boolean;
  bot: Bot;
}

const RULES: readonly BotRule[] = Object.entries(BOTS).flatMap(([category, bots]) =>
  bots.map((entry) => {
    const [mark, name] = typeof entry === 'string' ? [entry, entry] : entry;
    const isAtStart = mark.startsWith('^');
    const bot: Bot = { $is_bot: true, $bot_name: name, $bot_category: category };
    return { mark: mark.replace('^', '').toLowerCase(), isAtStart, bot };
  }),
);

/** A bot that says no more than that it is one. */
export const UNNAMED_BOT: Bot = { $is_bot: true, $bot_category: 'other' };

/** The first rule that fits decides, then the patterns of `isbot`. An empty user agent is no bot: many apps send none. */
export function readBot(agent: string): Bot | undefined {
  const text = agent.toLowerCase();
  const rule = RULES.find(({ mark, isAtStart }) => (isAtStart ? text.startsWith(mark) : text.includes(mark)));
  return rule?.bot ?? (isbot(agent) ? UNNAMED_BOT : undefined);
}
