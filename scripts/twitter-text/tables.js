// Writes app/xtext/tables.go: the endings of hosts and the emoji sequences that
// the packages twitter-text and twemoji-parser know, as data.
// Called by scripts/twitter-text.sh, with the folder of the packages.
'use strict';
const path = require('path');
const packages = process.argv[2];
const at = (file) => require(path.join(packages, 'node_modules', file));
const fallback = (m) => m.default || m;

// Every alternative of the only group that holds plain words.
function endings(name) {
  const source = fallback(at(`twitter-text/dist/regexp/${name}.js`)).source;
  const words = source.replace(/\(\?=.*$/, '').replace(/[(?:)]+/g, '').split('|');
  for (const word of words) {
    if (/[\\[\]{}*+.]/.test(word)) throw new Error(`${name}: ${word} is no plain word`);
  }
  return words;
}

// The Go side takes the longest ending that fits: the order must say the same.
function longestFirst(words) {
  words.forEach((word, i) => {
    if (words.slice(0, i).some((w) => word.startsWith(w) && /^[^0-9a-zA-Z@+-]/.test(word.slice(w.length)))) {
      throw new Error(`${word} stands behind its own beginning`);
    }
  });
}

// A small reader of regular expressions: alternatives, groups, classes, ?, and
// a look-ahead, which is taken for nothing. Returns the set of texts that match.
function texts(source) {
  let i = 0;
  const unit = () => {
    if (source[i] !== '\\') return source[i++];
    if (source[i + 1] === 'u') {
      i += 6;
      return String.fromCharCode(parseInt(source.slice(i - 4, i), 16));
    }
    throw new Error(`escape at ${i}`);
  };
  const set = () => {
    const all = [];
    for (i++; source[i] !== ']'; ) {
      const from = unit();
      let to = from;
      if (source[i] === '-') { i++; to = unit(); }
      for (let c = from.charCodeAt(0); c <= to.charCodeAt(0); c++) all.push(String.fromCharCode(c));
    }
    i++;
    return all;
  };
  const group = () => {
    i++;
    let ahead = false;
    if (source[i] === '?') { ahead = source[i + 1] === '!'; i += 2; }
    const all = alternatives();
    i++;
    return ahead ? [''] : all;
  };
  const sequence = () => {
    let all = [''];
    while (i < source.length && source[i] !== '|' && source[i] !== ')') {
      let next = source[i] === '(' ? group() : source[i] === '[' ? set() : [unit()];
      if (source[i] === '?') { i++; next = next.concat(''); }
      all = all.flatMap((head) => next.map((tail) => head + tail));
    }
    return all;
  };
  const alternatives = () => {
    let all = sequence();
    while (source[i] === '|') { i++; all = all.concat(sequence()); }
    return all;
  };
  return new Set(alternatives());
}

// The smallest table that accepts exactly these texts.
function automaton(words) {
  const trie = { next: new Map(), whole: false };
  for (const word of words) {
    let node = trie;
    for (const c of word.split('')) {
      if (!node.next.has(c)) node.next.set(c, { next: new Map(), whole: false });
      node = node.next.get(c);
    }
    node.whole = true;
  }
  const known = new Map(), states = [];
  const share = (node) => {
    const steps = [...node.next].map(([c, to]) => [c.charCodeAt(0), share(to)]).sort((a, b) => a[0] - b[0]);
    const ranges = [];
    for (const [c, to] of steps) {
      const last = ranges[ranges.length - 1];
      if (last && last[1] === c - 1 && last[2] === to) last[1] = c;
      else ranges.push([c, c, to]);
    }
    const key = JSON.stringify([node.whole, ranges]);
    if (!known.has(key)) { known.set(key, states.length); states.push({ whole: node.whole, ranges }); }
    return known.get(key);
  };
  const start = share(trie);
  const order = states.map((_, n) => n).sort((a, b) => (a === start ? -1 : b === start ? 1 : states[a].whole - states[b].whole || a - b));
  const place = new Map(order.map((old, now) => [old, now]));
  return order.map((old) => ({ whole: states[old].whole, ranges: states[old].ranges.map(([a, b, to]) => [a, b, place.get(to)]) }));
}

function wrapped(words) {
  const lines = [''];
  for (const word of words) {
    if ((lines[lines.length - 1] + word).length > 150) lines.push('');
    lines[lines.length - 1] += (lines[lines.length - 1] && ' ') + word;
  }
  return lines.join('\n');
}

const regex = fallback(at('twemoji-parser/dist/lib/regex.js'));
const emoji = texts(regex.source);
for (const text of emoji) {
  regex.lastIndex = 0;
  const found = regex.exec(text);
  if (!found || found[0] !== text) throw new Error(`the longest is not what matches first: ${escape(text)}`);
}
const states = automaton([...emoji].sort());
const steps = states.flatMap((s) => s.ranges);
if (states.length > 256) throw new Error(`${states.length} states`);

const generic = endings('validGTLD'), countries = endings('validCCTLD');
longestFirst(generic.concat(countries));
const hex = (n) => '0x' + n.toString(16).toUpperCase();
const starts = [0];
for (const s of states) starts.push(starts[starts.length - 1] + s.ranges.length);
const version = at('twitter-text/package.json').version, twemoji = at('twemoji-parser/package.json').version;

console.log(`// Code generated by scripts/twitter-text/tables.js from twitter-text ${version} and twemoji-parser ${twemoji}. DO NOT EDIT.

package xtext

// generic are the ${generic.length} endings of no country that X knows, countries the ${countries.length} others.
const (
	generic = \`${wrapped(generic.sort())}\`

	countries = \`${wrapped(countries.sort())}\`
)

// The ${emoji.size} emoji sequences that X counts as one. State s has the steps
// from emojiStates[s] up to emojiStates[s+1]; from emojiWhole on a state is the
// end of a whole sequence.
const emojiWhole = ${states.findIndex((s) => s.whole)}

var emojiStates = [...]uint16{${starts.join(', ')}}

var emojiSteps = [...]step{
${steps.map(([a, b, to]) => `{${hex(a)}, ${hex(b)}, ${to}},`).reduce((lines, s) => {
  if ((lines[lines.length - 1] + s).length > 140) lines.push('\t');
  lines[lines.length - 1] += (lines[lines.length - 1] === '\t' ? '' : ' ') + s;
  return lines;
}, ['\t']).join('\n')}
}`);
