"use strict";
const { config } = JSON.parse(document.getElementById("page-data").textContent);
(() => {
	const chat = document.getElementById("chat"), form = document.getElementById("say");
	let state = logic.fresh(Date.now()), timer = 0;
	const line = (text, me) => {
		const p = document.createElement("p");
		p.textContent = text;
		p.dir = "auto";
		if (me) p.className = "me";
		chat.append(p);
		chat.scrollTop = chat.scrollHeight;
	};
	const take = r => {
		state = r.state;
		r.messages.forEach(m => line(m));
		clearTimeout(timer);
		if (state.open) timer = setTimeout(() => take(logic.close(state, config, Date.now())), Math.max(0, state.open.until - Date.now()) + 50);
	};
	const say = text => { line(text, true); take(logic.handle(state, config, { member: "you", text }, Date.now())); };
	form.addEventListener("submit", e => {
		e.preventDefault();
		const text = form.elements.text.value.trim();
		form.elements.text.value = "";
		if (text) say(text);
	});
	for (const b of document.querySelectorAll("[data-say]")) b.addEventListener("click", () => say(b.dataset.say));
})();
