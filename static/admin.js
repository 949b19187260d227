// Keys of the queue. Each does what a button or a link on the page does, so
// the page is whole without them.
const $ = (selector) => document.querySelector(selector);
const typing = (el) => el.isContentEditable || el.matches('textarea, select, input:not([type=checkbox], [type=radio])');

// What was meant for the output before must not decide about this one: keys
// that decide work once the page has been in view for a moment.
const root = document.documentElement;
setTimeout(() => { root.dataset.ready = 'yes'; }, 400);
const decide = (selector) => { if (root.dataset.ready) $(selector)?.click(); };

// A decided output is not in the list: there its place is before data-next.
const move = (by) => {
  const links = [...document.querySelectorAll('#queue ol a')];
  let at = links.findIndex((a) => a.hasAttribute('aria-current'));
  if (at < 0) {
    const next = links.findIndex((a) => a.parentElement.hasAttribute('data-next'));
    at = (next < 0 ? links.length : next) - (by > 0);
  }
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.click();
};

const keys = {
  j: () => move(1),
  k: () => move(-1),
  a: () => decide('#approve button[type=submit]'),
  r: () => { const d = $('#reject'); if (d) { d.open = true; d.querySelector('textarea').focus(); d.scrollIntoView({ block: 'nearest' }); } },
  e: () => $('#edit')?.click(),
  u: () => decide('.undo > :not(.over) [data-undo]'),
  '?': () => $('#keys')?.showModal(),
};

// Typing that began in a field is not obeyed when the field is gone: keys work
// again once the person has left it, by Escape, Tab, a click or a tap.
let writing = false;
addEventListener('pointerdown', () => { writing = false; }, true);
addEventListener('click', () => { writing = false; }, true);

function leave(el) {
  const summary = el.closest('details')?.querySelector('summary');
  if (summary) summary.focus();
  else el.blur();
}

document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape' || e.key === 'Tab') writing = false;
  else if (typing(e.target)) writing = true;
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || e.isComposing) return;
  if (e.key === 'Escape' && typing(e.target)) leave(e.target);
  else if (!typing(e.target) && !writing && !$('dialog[open]') && keys[e.key]) { e.preventDefault(); keys[e.key](); }
});

document.addEventListener('click', (e) => {
  if (e.target.closest('[data-keys]')) keys['?']();
  if (e.target.closest('#queue a')) sessionStorage.setItem('moved', '1');
});

// ---- after a move: the reader is on what came, the list where it was

const list = $('.items:has(#queue)');

if (list) {
  const { id, top } = JSON.parse(sessionStorage.getItem('list') ?? '{}');
  const row = id && document.getElementById(id);
  if (row) list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - top;
  const here = list.querySelector('[aria-current]')?.getBoundingClientRect(), box = list.getBoundingClientRect();
  if (here && here.top < box.top) list.scrollTop -= box.top - here.top;
  const end = Math.min(box.bottom, innerHeight) - $('#undo').offsetHeight - 16; // it lies over the list
  if (here && here.bottom > end) list.scrollTop += here.bottom - end;
  addEventListener('pagehide', () => {
    const edge = list.getBoundingClientRect().top;
    const first = [...list.querySelectorAll('li')].find((li) => li.getBoundingClientRect().bottom > edge);
    if (first) sessionStorage.setItem('list', JSON.stringify({ id: first.id, top: first.getBoundingClientRect().top - edge }));
  });
}

if (sessionStorage.getItem('moved')) {
  sessionStorage.removeItem('moved');
  ($('#refusal') ?? $('#results-title') ?? $('#output-title'))?.focus();
  const said = $('#undo');
  said?.replaceChildren(...said.childNodes); // a status is spoken when it comes, not when the page does
}

// ---- how long a decision can be taken back: the server's clock says until
// when, and may run faster than the reader's, who is told their own seconds

let told, since;

function count() {
  const { now } = ($('#queue') ?? document.body).dataset;
  if (now !== told) { told = now; since = Date.now(); }
  for (const el of document.querySelectorAll('[data-until]')) {
    const left = Math.max(0, Math.ceil(((Date.parse(el.dataset.until) - Date.parse(told)) / document.body.dataset.pace - Date.now() + since) / 1000));
    const text = left > 120 ? `${Math.ceil(left / 60)} min` : `${left} s`;
    if (el.textContent !== text) el.textContent = text;
    el.closest('.row').classList.toggle('over', text === '0 s');
  }
}
count();
setInterval(count, 250);

// ---- settings: saving one keeps what was written into the others

const forms = [...document.querySelectorAll('.setting form')];
const edited = ({ elements: { value: v } }) =>
  v.matches('[aria-invalid]') || (v.options ? !v.selectedOptions[0].defaultSelected : v.value !== v.defaultValue);
const mark = (form) => { form.querySelector('.unsaved').hidden = !edited(form); };

// With the change that was the newest when it was written: a newer one is a conflict.
const put = (rest) => sessionStorage.setItem('unsaved', JSON.stringify(rest.map(({ elements: e, parentElement: { id } }) => ({ id, value: e.value.value, seen: e.seen.value }))));

if (forms.length) {
  for (const { id, value, seen } of JSON.parse(sessionStorage.getItem('unsaved') ?? '[]')) {
    const form = forms.find((f) => f.parentElement.id === id);
    if (form) { form.elements.value.value = value; form.elements.seen.value = seen; }
  }
  sessionStorage.removeItem('unsaved');
  forms.forEach((form) => {
    mark(form);
    form.addEventListener('input', () => mark(form));
    form.addEventListener('submit', () => put(forms.filter((f) => f !== form && edited(f))));
  });
}

// One decision per form: a second click or key sends nothing.
document.addEventListener('submit', (e) => {
  if (e.target.method === 'dialog') return;
  if (e.target.dataset.sent) e.preventDefault();
  e.target.dataset.sent = '1';
  if ($('.queue, #batch')) sessionStorage.setItem('moved', '1');
});
addEventListener('pageshow', () => document.querySelectorAll('form[data-sent]').forEach((f) => { delete f.dataset.sent; }));
