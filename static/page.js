// Niceties of every page; each page is complete without them.
document.documentElement.classList.add('js');

// ---- instants in the reader's zone, the server's UTC text on hover

const formats = {
  day: { month: 'short', day: 'numeric' },
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  full: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
};
const inUTC = new Date().getTimezoneOffset() === 0;
const writers = {}; // made when needed: each takes its time

function localise(el) {
  if (inUTC) return;
  const at = new Date(el.dateTime), format = el.dataset.local;
  if (!formats[format] || isNaN(at)) return;
  const text = (writers[format] ??= new Intl.DateTimeFormat(undefined, formats[format])).format(at);
  if (el.textContent !== text) el.textContent = text;
  el.title ||= Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// ---- relative times, by the server's clock: it need not be the reader's

let told, since;
const pace = document.body.dataset.pace || 1; // a rehearsal's day passes in minutes

function readClock() {
  const now = Math.max(...[...document.querySelectorAll('[data-now]')].map((el) => Date.parse(el.dataset.now)));
  if (isFinite(now) && now !== told) [told, since] = [now, Date.now()];
}

function ago(el) {
  if (told === undefined) return;
  const ms = Date.parse(el.dateTime) - told - (Date.now() - since) * pace;
  const s = Math.abs(ms) / 1000;
  const [n, unit] = s < 60 ? [0, ''] : s < 3600 ? [s / 60, 'min'] : s < 172800 ? [s / 3600, 'h'] : [s / 86400, 'days'];
  const text = !unit ? 'now' : `${Math.floor(n)} ${unit}`;
  const whole = el.dataset.relative === 'length' ? (unit ? text : 'less than a minute')
    : !unit ? 'now' : ms > 0 ? `in ${text}` : `${text} ago`;
  if (el.textContent !== whole) el.textContent = whole;
}

// ---- wiring, also of what the stream brings

const times = (root) => root.querySelectorAll('time');
const refresh = (el) => (el.dataset.local ? localise(el) : ago(el));

new MutationObserver((changes) => {
  readClock();
  const changed = new Set(); // a patch writes the server's text anew
  for (const { target, addedNodes } of changes) {
    const el = target.nodeType === 1 ? target : target.parentElement;
    const time = el?.closest('time');
    if (time) changed.add(time);
    addedNodes.forEach((node) => node.nodeType === 1 && (node.matches('time') ? changed.add(node) : times(node).forEach((t) => changed.add(t))));
  }
  changed.forEach(refresh);
  if ($page()) follow();
}).observe(document.body, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ['data-now', 'datetime'] });
readClock();
times(document).forEach(refresh);
setInterval(() => times(document).forEach(refresh), 20_000);

document.addEventListener('click', async (e) => {
  const button = e.target.closest('[data-copy]');
  if (!button) return;
  const label = button.dataset.label ??= button.textContent;
  try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = 'Copied'; } catch { button.textContent = 'Select it instead'; }
  setTimeout(() => { button.textContent = label; }, 2000);
});

// ---- the log: follow the newest line, F turns it on and off

const toggle = () => document.querySelector('#follow');
// A box that the page itself follows: its end is to be on screen as well.
const $page = () => document.querySelector('[data-follow=page]');

function follow() {
  const box = document.querySelector('[data-follow]');
  if (!box || !toggle()) return;
  if (toggle().checked) {
    box.scrollTop = 0; // it is laid out from its end
    $page()?.scrollIntoView({ block: 'nearest' });
  }
  else if (box.scrollTop === 0) box.scrollTop = -1; // off its end, so that new rows do not move it
}

document.addEventListener('change', (e) => e.target === toggle() && follow());
// Whoever scrolls back reads: what comes in must not pull them away.
document.addEventListener('scroll', ({ target }) => {
  if (!toggle()) return;
  const end = $page()?.getBoundingClientRect().bottom;
  const left = target === document ? end < 24 || end > innerHeight + 24 : target.matches('[data-follow]') && target.scrollTop < -24;
  if (left) toggle().checked = false;
}, true);
document.addEventListener('keydown', (e) => {
  if (e.key.toLowerCase() !== 'f' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target !== toggle()) return;
  if (!toggle()) return;
  toggle().checked = !toggle().checked;
  follow();
});
if (location.hash && toggle()) toggle().checked = false;
if (location.hash || $page()) follow(); // else it is at its end as it is

// A permalink into a folded week opens it.
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let el = target?.parentElement; el; el = el.parentElement) if (el.tagName === 'DETAILS') el.open = true;
  if (target) target.scrollIntoView({ block: 'nearest' });
}
addEventListener('hashchange', unfold);
unfold();

// Typed confirmation: the button follows the word; the server checks it again.
document.addEventListener('input', (e) => {
  const word = e.target.dataset?.confirm;
  const button = word && e.target.form?.querySelector('[data-confirmed]');
  if (button) button.disabled = e.target.value.trim() !== word;
});
