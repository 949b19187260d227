// Keys of the queue. Each does what a button or a link on the page does, so
// the page is whole without them.
const $ = (selector) => document.querySelector(selector);
const typing = (el) => el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName);

const move = (by) => {
  const links = [...document.querySelectorAll('#queue a')];
  const at = links.findIndex((a) => a.hasAttribute('aria-current'));
  links[Math.min(Math.max(at + by, 0), links.length - 1)]?.click();
};

const keys = {
  j: () => move(1),
  k: () => move(-1),
  a: () => $('#approve button[type=submit]')?.click(),
  r: () => { const d = $('#reject'); if (d) { d.open = true; d.querySelector('textarea').focus(); d.scrollIntoView({ block: 'nearest' }); } },
  '?': () => $('#keys')?.showModal(),
};

document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
  if (e.key === 'Escape' && typing(e.target)) e.target.blur();
  else if (!typing(e.target) && !$('dialog[open]') && keys[e.key]) { e.preventDefault(); keys[e.key](); }
});

document.addEventListener('click', (e) => {
  if (e.target.closest('[data-keys]')) keys['?']();
});

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
  if (e.target.dataset.sent) e.preventDefault();
  e.target.dataset.sent = '1';
});
addEventListener('pageshow', () => document.querySelectorAll('form[data-sent]').forEach((f) => { delete f.dataset.sent; }));
