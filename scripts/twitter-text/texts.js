// Prints texts and what the package twitter-text makes of them, one JSON object
// a line. Called by scripts/twitter-text.sh: texts.js PACKAGES COUNT [SEED].
'use strict';
const path = require('path');
const [packages, count, seed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4] || 1)];
const tt = require(path.join(packages, 'node_modules/twitter-text'));
const twitter = tt.default || tt;

// mulberry32: the same texts on every machine.
let state = seed >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const times = (n, make) => Array.from({ length: n }, make).join('');
const some = (most, make) => times(below(most + 1), make);
const maybe = (share, make) => (random() < share ? make() : '');
const point = (from, to) => {
  const c = from + below(to - from + 1);
  return c >= 0xd800 && c <= 0xdfff ? '\u{d7ff}' : String.fromCodePoint(c);
};

const words = ['It dances again.', 'gm', 'the dodo', 'naïve café', 'привет мир', 'Καλημέρα', 'שלום', 'سلام', '日本語の文', '한국어', '中文文本', 'ไทย', 'हिन्दी', 'ﬁ', 'ǅ', 'ß', 'İstanbul', '“quoted” – so…', 'e.g.', 'v1.2', '3.14', 'O’Neil', '½', '\u{1d4d7}\u{1d4f2}', '𠮷野家', '𐐀𐐁', 'a_b', 'x-y', '#tag', '＃札', '50%'];
const marks = ['\u0301', '\u0327', '\u0308', '\u0345', '\u093c', '\u3099', '\u309a', '\u05b4', '\u0e34', '\u20e3', '\ufe0f', '\ufe0e', '\u200d', '\u1161', '\u11a8', '\u{1d165}', '\u{e0067}', '\u{e007f}'];
const blanks = [' ', ' ', ' ', '\n', '\t', '\u00a0', '\u3000', '\u2009', '\u200b', '\u0085', '\u180e', '\u2028', '\u1680', '\u202f', '\r\n'];
const invalid = ['\ufffe', '\ufeff', '\uffff'];
const direction = ['\u202a', '\u202e', '\u061c', '\u200e', '\u200f', '\u2066', '\u2069'];
const people = ['👨', '👩', '🧑', '👮', '🏃', '🕵', '🏋', '⛹', '💂', '🧙', '🤦', '👯', '🤼', '🧞', '🧟', '👁', '🏳', '🏴', '🐻', '❤', '👧', '👦'];
const tones = ['🏻', '🏼', '🏽', '🏾', '🏿'];
const joined = ['⚕️', '⚖️', '✈️', '🌾', '💻', '🚀', '🦰', '🦳', '♀️', '♂️', '♀', '❤️', '💋', '🌈', '☠️', '🗨', '❄️', '🎄', '👩', '👨', '👦', '👧'];
const family = ['👨‍👩‍👧‍👦', '👩‍❤️‍💋‍👨', '👩‍❤️‍👩', '👨‍👨‍👦', '👩‍👧', '🏳️‍🌈', '🏴‍☠️', '👁‍🗨', '👁️‍🗨️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', '🏴󠁵󠁳󠁴󠁸󠁿', '🧑‍🤝‍🧑', '👨‍🦰', '🐻‍❄️', '❤️‍🔥', '🧑🏽‍🚀'];
const emoji = () => pick([
  () => pick(people) + maybe(0.4, () => pick(tones)) + maybe(0.2, () => '\ufe0f') + some(3, () => '\u200d' + pick(joined) + maybe(0.2, () => pick(tones))),
  () => pick(family),
  () => pick('0123456789#*a'.split('')) + maybe(0.6, () => '\ufe0f') + '\u20e3',
  () => point(0x1f1e6, 0x1f1ff) + maybe(0.9, () => point(0x1f1e6, 0x1f1ff)) + maybe(0.2, () => point(0x1f1e6, 0x1f1ff)),
  () => point(0x1f300, 0x1faff) + maybe(0.3, () => pick(['\ufe0f', '\ufe0e', ...tones])),
  () => point(0x2190, 0x2bff) + maybe(0.5, () => pick(['\ufe0f', '\ufe0e', ...tones])),
  () => pick(['©', '®', '™', '‼', '⁉', 'ℹ', '〰', '〽', '㊗', '㊙', '🀄', '🃏', '🅰']) + maybe(0.6, () => pick(['\ufe0f', '\ufe0e'])),
])();
const anywhere = () => pick([
  () => point(0x20, 0x7e), () => point(0xa0, 0x24f), () => point(0x250, 0x52f), () => point(0x0, 0xffff), () => point(0xf00, 0x1200), () => point(0x2000, 0x20ff),
  () => point(0x3000, 0x30ff), () => point(0x4e00, 0x9fff), () => point(0xac00, 0xd7a3), () => point(0xf900, 0xffff),
  () => point(0x10000, 0x1ffff), () => point(0x20000, 0x3ffff), () => point(0xe0000, 0xe01ef), () => point(0x40000, 0x10ffff),
])();

const label = () => pick([
  () => pick(['dodo', 'a', 'x', 'www', 'pump', 'example', 'X', 'EXAMPLE', '1', '127', 'v2', 't', 'xn--mgbh0fb', 'xn--80aswg', 'xn--', 'co']),
  () => pick(['dodo', 'a']) + pick(['-', '_', '--', '_-', '–', '"', '`', '。', '．', '•', 'é', 'İ', 'ι']) + pick(['b', '', '2', 'z']),
  () => pick(['müller', 'пример', '例え', 'مثال', '网站', 'ø', '🔥', '👩‍🚀', 'ſ', 'K', 'ａｂ', 'é\u0301']),
  () => pick(['-', '_', '']) + 'ab' + pick(['-', '_', '']),
  () => 'l'.repeat(pick([30, 62, 63, 64, 70])), () => 'ü'.repeat(pick([10, 40, 57, 58, 59, 60, 63])), () => '日' + '本'.repeat(pick([5, 18, 19, 20, 40, 60])),
])();
const endings = ['com', 'COM', 'org', 'fun', 'io', 'xyz', 'gg', 'meme', 'ai', 'eth', 'sol', 'zzz', 'co', 'co.uk', 'co.jp', 'jp', 'ws', 'to', 'la', 'みんな', '中国', 'рф', 'РФ', 'сайт', 'ευ', 'ϵλ', 'vermögensberater', 'VERMÖGENSBERATUNG', 'xn--p1ai', 'XN--P1AI', 'xn--', 'onion', 'museum', 'comx', 'com1', 'com-', 'com_', 'c', 'local', 'test', 'مصر', '한국', 'app', 'family', 'finance', 'lol', '1', 'ＣＯＭ'];
const host = () => times(1 + below(3), () => label() + '.') + pick(endings) + maybe(0.1, () => '.' + label()) + maybe(0.1, () => '.' + pick(endings));
const piece = () => pick([
  () => pick(['a', 'B2', 'path', '-', '_', '.', ',', '!', '~', '%20', '@user', '@', '&', '|', '$', ':', ';', "'", '*', '[x]', '–', '—', 'é', 'ÿ', 'ж', 'ι', 'ᲀ', 'ɐ', 'ɵ', 'ſ', 'K', '日', '🔥', '+', '=', '#', '//', '/']),
  () => '(' + pick(['a', '', 'a(b)', 'a(b)c', '(b)', '(a', 'a)', 'é', '(a)(b)', 'a((b))']) + pick([')', ')', ')', '']),
])();
const urlPath = () => '/' + some(6, piece);
const query = () => '?' + some(5, () => pick(['q=1', '&', '=', 'é', '!', '?', '.', '/', '#', '-', 'x', '(', ')', '$', '日', "'", '|', '~']));
const tco = () => pick(['http', 'https', 'HTTPS']) + '://' + pick(['t.co', 'T.CO', 't.co.uk', 'www.t.co']) + maybe(0.9, () => '/') + 'aB3'.repeat(below(16)) + maybe(0.4, piece) + maybe(0.2, query);
const before = () => pick(['', '', '', ' ', '(', '[', '@', '$', '#', '＃', '＠', '-', '_', '.', '/', '"', '日', 'é', 'a', '1', '🔥', ':', '=', ',', '\u202e', '\ufeff', '“', "'", '/ /', '://', '\u200b']);
const url = () => before() + pick([
  () => maybe(0.5, () => pick(['http://', 'https://', 'HTTP://', 'hTTps://', 'ftp://', 'http:/', '//', 'https://https://', 'httpſ://', 'http://user@', 'http://u:p@'])) + host() + maybe(0.2, () => pick([':80', ':', ':x', ':8080', ':٣'])) + maybe(0.5, urlPath) + maybe(0.3, query),
  tco,
  () => pick(['http://127.0.0.1:8080/a', 'http://localhost/a', 'me@a.com', 'a.com,b.org', 'a.com日b.org/x', 'a.com.日.com/x', 'a.com-日.a.com', 'a..com', 'x.com.', 'http://a.com/' + 'p'.repeat(pick([10, 4060, 4072, 4075, 4076, 4083, 4084, 4090])), 'a.com/' + 'q'.repeat(pick([4080, 4082, 4083, 4084]))]),
])() + maybe(0.3, () => pick(['.', ',', '!', ')', 'です', '…', ' ', '"', '@x', '-', '+', '_', 'é', '\ufe0f\u20e3', '👍']));
const cashtag = () => before() + pick(['$', '$', '$', '＄', '$$']) + pick(['DODO', 'a', 'BTC', 'abcdef', 'abcdefg', 'BRK.A', 'brk_ab', 'a.bcd', 'a.b1', 'a.', 'a_', '5', 'dodo.x.y', 'K', 'ſ', 'é', '狗']) + pick(['', '', ' ', '.', ',', '!', '1', 'é', '\ufeff', '\u0085', '\u180e', '"', '…', '\u3000', '$b', ' $c']);
const mention = () => before() + pick(['@', '@', '＠', '@@', 'RT@', 'rt: @', 'RT:@', 'xRT@', '+RT:@', ' rT@']) + pick(['ann', 'a_b', 'A1', 'x'.repeat(20), 'x'.repeat(21), 'é', '1', '_', '']) + maybe(0.3, () => pick(['/list', '/a-b_c', '/1', '/', '/' + 'l'.repeat(26)])) + pick(['', '', ' ', '.', '@b', '＠', 'é', '://', ':', '!', '’s', '\u0301', 'ɓ', '日']);

const kinds = [
  () => pick(words), () => pick(words), () => pick(words) + some(3, () => pick(marks)), emoji, emoji, () => times(1 + below(4), emoji), url, url, url, cashtag, mention,
  () => times(1 + below(8), anywhere), () => maybe(0.05, () => pick(invalid)), () => maybe(0.2, () => pick(direction)), () => pick('aeioun'.split('')) + times(1 + below(3), () => pick(marks)),
];
const text = () => pick([
  () => pick(kinds)(),
  () => times(1 + below(5), () => pick(kinds)() + pick(blanks)),
  () => times(1 + below(6), () => pick(kinds)()),
  () => times(1 + below(4), () => pick(kinds)() + pick(blanks)) + pick(['a', 'é', '字', '🔥', 'ж', '–']).repeat(120 + below(180)),
  () => times(1 + below(30), anywhere),
])();

// Every character of the basic plane once in each place where its kind decides.
function* everyCharacter() {
  for (let from = 0; from < 0x10000; from += 8) {
    const row = [];
    for (let c = from; c < from + 8; c++) if (c < 0xd800 || c > 0xdfff) row.push(String.fromCharCode(c));
    if (row.length === 0) continue;
    yield row.map((c) => `${c}a.com/${c} https://a${c}b.com/x${c}`).join(' ');
    yield row.map((c) => `a.com/x${c} a.com/(${c}) a.com?${c}a${c} a.com${c}`).join(' ');
    yield row.map((c) => ` x${c}y.com ${c} a.${c} $a${c} ${c}$b ${c}@c @d${c}`).join(' ');
  }
}
// Every plane, every two letters of flags, every ending.
function* everySequence() {
  for (let c = 0x10000; c < 0x110000; c += 0x4f) yield String.fromCodePoint(c, c + 1) + '.com ' + String.fromCodePoint(c + 2, 0xfe0f);
  for (let a = 0x1f1e6; a <= 0x1f1ff; a++) for (let b = 0x1f1e6; b <= 0x1f1ff; b++) yield String.fromCodePoint(a, b);
  for (const person of people) for (const tone of ['', ...tones]) for (const to of joined) yield person + tone + '\u200d' + to + person + '\ufe0f\u200d' + to;
}

function* all() {
  yield '';
  if (count > 1000) {
    yield* everyCharacter();
    yield* everySequence();
  }
  for (let n = 0; n < count; n++) yield text();
}

for (const each of all()) {
  const read = twitter.parseTweet(each);
  process.stdout.write(JSON.stringify({
    text: each, length: read.weightedLength, valid: read.valid,
    urls: twitter.extractUrls(each), cashtags: twitter.extractCashtags(each), mentions: twitter.extractMentions(each),
  }) + '\n');
}
