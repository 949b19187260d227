"use strict";
const { config, market } = JSON.parse(document.getElementById("page-data").textContent);
(() => {
	const chat = document.getElementById("chat"), form = document.getElementById("say"), slider = document.getElementById("price"), shown = document.getElementById("shown");
	let state = logic.fresh(), base = 0.001, clock = Date.UTC(2027, 0, 1, 12);
	const price = () => base * Math.pow(10, slider.value / 50);
	const line = (text, me) => {
		const p = document.createElement("p");
		p.textContent = text;
		p.dir = "auto";
		if (me) p.className = "me";
		chat.append(p);
		chat.scrollTop = chat.scrollHeight;
	};
	const take = r => { state = r.state; r.messages.forEach(m => line(m.text)); };
	const moved = () => {
		shown.textContent = logic.written(price());
		clock += config.cooldown_minutes * 60000; // the trial does not make anyone wait
		if (logic.isQuiet([config.quiet_from, config.quiet_to], clock)) clock += 3600000;
		take(logic.tick(state, config, price(), clock));
	};
	const say = text => { line(text, true); take(logic.handle(state, config, { member: "you", text }, price())); };
	form.addEventListener("submit", e => {
		e.preventDefault();
		const text = form.elements.text.value.trim();
		form.elements.text.value = "";
		if (text) say(text);
	});
	slider.addEventListener("input", moved);
	document.getElementById("above").addEventListener("click", () => say("/alert above " + logic.written(price() * 1.2).slice(1)));
	document.getElementById("list").addEventListener("click", () => say("/alerts"));
	shown.textContent = logic.written(price());
	fetch(market, { signal: AbortSignal.timeout(8000), credentials: "omit" }).then(r => r.json()).then(j => {
		const p = (j.market || j).price_usd;
		if (p > 0) { base = p; shown.textContent = logic.written(price()); }
	}).catch(() => {});
})();
