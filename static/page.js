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
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const inUTC = new Date().getTimezoneOffset() === 0;
const writers = Object.fromEntries(Object.entries(formats).map(([k, f]) => [k, new Intl.DateTimeFormat(undefined, f)]));

function localise(el) {
  const at = new Date(el.dateTime);
  const write = writers[el.dataset.local];
  if (!write || isNaN(at) || inUTC) return;
  const text = write.format(at);
  if (el.textContent !== text) el.textContent = text;
  el.title ||= zone;
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

function refresh(root) {
  root.querySelectorAll('time[data-local]').forEach(localise);
  root.querySelectorAll('time[data-relative]').forEach(ago);
}

let moved = false;
new MutationObserver((changes) => {
  moved ||= changes.some((c) => c.target.nodeType === 1 && (c.target.closest('[data-follow]') || $page()));
  readClock();
  refresh(document);
  if (moved) { moved = false; follow(); }
}).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-now'] });
readClock();
refresh(document);
setInterval(() => refresh(document), 20_000);

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
    box.scrollTop = box.scrollHeight;
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
follow();

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
