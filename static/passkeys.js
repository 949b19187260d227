// Forms that a passkey fills in: ask what to sign, have the browser sign it,
// send it like any form. The pages say that this needs a script.
const ways = {
  create: (o) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(o) }),
  get: (o) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(o) }),
};

const words = {
  AbortError: 'It was cancelled. Nothing was changed.',
  NotAllowedError: 'It was cancelled, took too long, or there is no passkey here. Try again.',
  InvalidStateError: 'There is a passkey of this account here already.',
  NotSupportedError: 'This device makes no passkey that asks who you are.',
  SecurityError: 'Passkeys do not work at this address of the site: open the one it was set up with.',
  TypeError: 'The site did not answer, or this browser is too old for passkeys.',
};

async function sign(form) {
  const answer = await fetch(form.dataset.challenge, { method: 'POST', body: new URLSearchParams(new FormData(form)), redirect: 'error' });
  if (answer.status === 422) throw new Error(await answer.text());
  if (!answer.ok) throw new Error('The page is too old. Reload it and try again.');
  const credential = await ways[form.dataset.passkey](await answer.json());
  form.elements.credential.value = JSON.stringify(credential);
  form.submit();
}

document.querySelectorAll('form[data-passkey]').forEach((form) => form.addEventListener('submit', async (e) => {
  e.preventDefault();
  e.stopPropagation(); // no other script is to take it for sent
  const button = form.querySelector('button'), said = form.querySelector('[role=status]');
  if (button.disabled) return;
  button.disabled = true;
  said.textContent = 'Follow your browser.';
  try { await sign(form); } catch (fault) {
    said.textContent = words[fault.name] ?? fault.message;
    button.disabled = false;
  }
}));
addEventListener('pageshow', () => document.querySelectorAll('form[data-passkey] button').forEach((b) => { b.disabled = false; }));
