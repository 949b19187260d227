// A small client for Datastar's v1 wire events and a fixed subset of its v1
// attributes. Attribute values are parsed, never evaluated, so the page needs
// no unsafe-eval and text from outside cannot become code.
//
//   data-init="@get('/path')"               a stream that is kept open for ever
//   data-on:click|submit|keydown="@post('/path')"   also with {contentType: 'form'}
//   data-show|data-text="$name"             data-show="!$name"
//   data-class:name="$name"                 data-bind="name"
//
// An element with data-connection shows the state of the stream.
import { Idiomorph } from './idiomorph.js';

const ACTION = /^@(get|post)\('(\/(?!\/)[^'\\\s]*)'(, ?\{ ?contentType: ?'form' ?\})?\)$/;
const SIGNAL = /^(!?)\$([a-zA-Z_]\w*)$/;
const NAME = /^[a-zA-Z_]\w*$/;
const EVENT = /^data-on:(click|submit|keydown)((?:__(?:prevent|stop|once|window))*)$/;

// ---- signals

const signals = Object.create(null);
const bound = new Set();

const read = (expression) => {
  const [, not, name] = SIGNAL.exec(expression ?? '') ?? [];
  if (name) return not ? !signals[name] : signals[name];
};

function show(el) {
  if (!el.isConnected) return bound.delete(el);
  for (const { name, value } of [...el.attributes]) {
    if (name === 'data-bind' && NAME.test(value)) fill(el, signals[value]);
    if (!SIGNAL.test(value)) continue;
    const v = read(value);
    if (name === 'data-show') el.style.display = v ? '' : 'none';
    if (name === 'data-text' && el.textContent !== String(v ?? '')) el.textContent = v ?? '';
    if (name.startsWith('data-class:')) el.classList.toggle(name.slice(11), !!v);
  }
}

function fill(el, v) {
  if (el.type === 'checkbox') el.checked = !!v;
  else if (el.value !== String(v ?? '')) el.value = v ?? '';
}

function patchSignals(patch, onlyIfMissing) {
  for (const [name, v] of Object.entries(patch)) {
    if (!NAME.test(name) || (onlyIfMissing && name in signals)) continue;
    if (v === null) delete signals[name];
    else signals[name] = v;
  }
  bound.forEach(show);
}

// ---- elements

const morphing = {
  ignoreActiveValue: true,
  callbacks: {
    beforeNodeMorphed: (old, fresh) => !old.hasAttribute?.('data-ignore-morph') && !old.isEqualNode(fresh),
    beforeAttributeUpdated: (name, el) =>
      !(el.getAttribute('data-preserve-attr') ?? '').split(' ').includes(name),
  },
};

function patchElements({ selector, mode = 'outer', elements = '' }) {
  const parsed = document.createElement('template');
  parsed.innerHTML = elements;
  const fresh = parsed.content;
  if (selector) {
    const target = document.querySelector(selector);
    if (target) place(target, mode, fresh);
  } else for (const el of [...fresh.children]) {
    const target = el.id && document.getElementById(el.id);
    if (target) place(target, mode, el);
  }
  bound.forEach(show); // a morph takes away what data-show and data-class had set
}

const nodes = (fresh) => (fresh.tagName ? [fresh] : [...fresh.childNodes]);

function place(target, mode, fresh) {
  if (mode === 'remove') target.remove();
  else if (mode === 'outer') Idiomorph.morph(target, nodes(fresh), morphing);
  else if (mode === 'inner') Idiomorph.morph(target, nodes(fresh), { ...morphing, morphStyle: 'innerHTML' });
  else if (mode === 'replace') target.replaceWith(fresh);
  else if (['append', 'prepend', 'before', 'after'].includes(mode)) target[mode](fresh);
}

// ---- wire

function dispatch(type, lines) {
  const args = {};
  for (const line of lines) {
    const cut = line.indexOf(' ');
    const [key, value] = cut < 0 ? [line, ''] : [line.slice(0, cut), line.slice(cut + 1)];
    args[key] = key in args ? args[key] + '\n' + value : value;
  }
  if (type === 'datastar-patch-elements') patchElements(args);
  if (type === 'datastar-patch-signals') patchSignals(JSON.parse(args.signals), args.onlyIfMissing === 'true');
}

// consume reads a stream of events to its end; cursor keeps id and retry.
async function consume(body, cursor, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', type = '', lines = [], id;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const rows = rest.split(/\r\n|\n|\r(?!$)/);
    rest = rows.pop();
    for (const row of rows) {
      const [, field, text] = /^(\w+):? ?(.*)$/s.exec(row) ?? []; // s: U+2028 ends no line here
      if (field === 'event') type = text;
      else if (field === 'data') lines.push(text);
      else if (field === 'id') id = text;
      else if (field === 'retry' && +text) cursor.base = +text;
      else if (row === '') {
        if (id !== undefined) cursor.id = id; // only a whole event counts as received
        try { dispatch(type, lines); } catch (e) { console.error('patch refused', e); }
        type = ''; lines = [];
      }
    }
    alive();
  }
}

function request(el, method, path, form, extra) {
  const headers = { 'Datastar-Request': 'true', Accept: 'text/event-stream, text/html, application/json', ...extra.headers };
  const url = new URL(path, location.origin);
  let body;
  if (form) {
    const data = new URLSearchParams(new FormData(el.closest('form')));
    if (method === 'post') body = data;
    else data.forEach((v, k) => url.searchParams.append(k, v));
  } else if (method === 'post') {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(signals);
  } else if (Object.keys(signals).length) url.searchParams.set('datastar', JSON.stringify(signals));
  return fetch(url, { method: method.toUpperCase(), headers, body, signal: extra.signal, credentials: 'same-origin' });
}

async function answer(response, cursor, alive) {
  if (!response.ok || response.redirected) throw new Error(response.status); // a redirect is the sign-in page
  const type = response.headers.get('Content-Type') ?? '';
  if (type.startsWith('text/event-stream')) return consume(response.body, cursor, alive);
  if (type.startsWith('application/json')) patchSignals(await response.json());
  else if (type.startsWith('text/html')) patchElements({ elements: await response.text() });
}

async function act(el, expression) {
  const [, method, path, form] = ACTION.exec(expression) ?? [];
  if (!method) return;
  try { await answer(await request(el, method, path, form, {}), {}, () => {}); } catch (e) { console.error(method, path, e); }
}

// ---- the stream that is kept open

const SILENCE = 45_000; // the server beats every 15 s
const STEADY = 5_000; // a stream that lasts so long has ended the failures before it
const LONGEST = 30_000;

async function keep(el, path) {
  const cursor = { base: 500 };
  let fails = 0, lastHeard, signedOut;
  while (el.isConnected) {
    if (document.hidden) await once(document, 'visibilitychange', () => !document.hidden);
    const stop = new AbortController();
    const cut = () => stop.abort();
    const hide = () => document.hidden && cut();
    let watchdog = setTimeout(cut, SILENCE), opened, wait = 0;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(cut, SILENCE);
      lastHeard = new Date();
      opened ??= Date.now();
      state('live');
    };
    document.addEventListener('visibilitychange', hide);
    addEventListener('offline', cut);
    try {
      const headers = cursor.id === undefined ? {} : { 'Last-Event-ID': cursor.id };
      const response = await request(el, 'get', path, null, { headers, signal: stop.signal });
      if (response.ok) state('catching up');
      signedOut = response.status === 401;
      wait = Math.min(1000 * response.headers.get('Retry-After') || 0, LONGEST);
      await answer(response, cursor, alive);
      if (!(response.headers.get('Content-Type') ?? '').startsWith('text/event-stream')) return;
    } catch { /* reset, refused, silent or hidden: all the same, try again */ }
    clearTimeout(watchdog);
    document.removeEventListener('visibilitychange', hide);
    removeEventListener('offline', cut);
    if (Date.now() - opened >= STEADY) fails = 0;
    if (document.hidden) continue;
    state(signedOut ? 'signed out' : 'stale', lastHeard);
    const delay = Math.min(cursor.base * 2 ** fails++, LONGEST);
    await sleep(wait + delay * (0.5 + Math.random() / 2));
  }
}

// sleep ends early when the reader is connected again.
const sleep = (ms) => new Promise((wake) => {
  const timer = setTimeout(end, ms);
  addEventListener('online', end);
  function end() {
    clearTimeout(timer);
    removeEventListener('online', end);
    wake();
  }
});

const once = (target, event, test) => new Promise((done) => {
  const listen = () => { if (test()) { target.removeEventListener(event, listen); done(); } };
  target.addEventListener(event, listen);
});

function state(now, since) {
  for (const el of document.querySelectorAll('[data-connection]')) {
    const at = since?.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    const text = now === 'stale' && at ? `stale since ${at}` : now === 'stale' ? 'not connected' : now;
    el.dataset.connection = now;
    if (el.textContent !== text) el.textContent = text;
    if (now === 'signed out' && el.nextElementSibling?.matches('.reload')) el.nextElementSibling.textContent = 'Sign in';
  }
}

// ---- attributes

const wired = new WeakMap();

function wire(el) {
  let known = wired.get(el);
  for (const name of el.getAttributeNames()) {
    if (!name.startsWith('data-') || known?.has(name)) continue;
    if (!known) wired.set(el, (known = new Set()));
    const value = el.getAttribute(name);
    const [, event, modifiers] = EVENT.exec(name) ?? [];
    if (event) listen(el, name, event, modifiers);
    else if (name === 'data-init') init(el, value);
    else if (name === 'data-bind') bind(el, value);
    else if (name !== 'data-show' && name !== 'data-text' && !name.startsWith('data-class:')) continue;
    known.add(name);
    if (!event && name !== 'data-init') { bound.add(el); show(el); }
  }
}

function init(el, value) {
  const [, method, path] = ACTION.exec(value) ?? [];
  if (method === 'get') keep(el, path);
}

function listen(el, name, event, modifiers) {
  const has = (m) => modifiers.includes('__' + m);
  (has('window') ? window : el).addEventListener(event, (e) => {
    const value = el.getAttribute(name);
    if (!value || !ACTION.test(value) || !el.isConnected) return;
    if (event === 'submit' || has('prevent')) e.preventDefault();
    if (has('stop')) e.stopPropagation();
    act(el, value);
  }, { once: has('once') });
}

function bind(el, name) {
  if (!NAME.test(name)) return;
  const take = () => patchSignals({ [name]: el.type === 'checkbox' ? el.checked : el.value });
  if (!(name in signals)) take();
  el.addEventListener('input', take);
}

// wireAll takes a breath now and then: a page has thousands of elements, and a
// reader may be about to touch one.
async function wireAll(root) {
  let n = 0;
  for (const el of [root, ...root.querySelectorAll('*')]) {
    wire(el);
    if (++n % 300 === 0) await new Promise((on) => setTimeout(on));
  }
}

// Whatever comes to the page is wired, whoever brought it.
new MutationObserver((changes) => {
  for (const { attributeName, target, addedNodes } of changes) {
    if (!attributeName) addedNodes.forEach((node) => node.nodeType === 1 && wireAll(node));
    else if (attributeName.startsWith('data-')) { wire(target); if (bound.has(target)) show(target); }
  }
}).observe(document.documentElement, { childList: true, subtree: true, attributes: true });

wireAll(document.documentElement);
