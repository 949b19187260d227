"use strict";
// Price alerts as pure functions: state in, state and messages out. Instants
// are milliseconds, prices US dollars.
const logic = (() => {
	const fresh = () => ({ members: {} });
	const member = (state, config, who) => state.members[who] || { lines: [], quiet: [config.quiet_from, config.quiet_to], lastAt: null, asked: 0 };
	const save = (state, who, m) => ({ ...state, members: { ...state.members, [who]: m } });

	// written never rounds a small price to nothing.
	const written = v => "$" + (v >= 1 ? v.toFixed(2) : v.toPrecision(4).includes("e") ? v.toFixed(18).replace(/0+$/, "") : String(Number(v.toPrecision(4))));

	const isQuiet = ([from, to], now) => {
		const hour = new Date(now).getUTCHours();
		return from <= to ? hour >= from && hour < to : hour >= from || hour < to;
	};

	function handle(state, config, { member: who, text }, price) {
		const m = member(state, config, who), words = text.trim().toLowerCase().split(/\s+/);
		const command = words[0].replace(/@\w+$/, "");
		const say = (message, next) => ({ state: next ? save(state, who, next) : state, messages: [{ to: who, text: message }] });
		switch (command) {
		case "/alert": return addLine(m, config, words, price, say);
		case "/alerts": return say(m.lines.map((l, i) => (i + 1) + ". " + l.side + " " + written(l.price)).join("\n") || "You have no lines. Draw one: /alert above 0.01");
		case "/quiet": return setQuiet(m, words, say);
		case "/stop": { // forgets the member
			const members = { ...state.members };
			delete members[who];
			return { state: { ...state, members }, messages: [{ to: who, text: "Done. Everything about you is deleted." }] };
		}
		}
		return { state, messages: [] };
	}

	function addLine(m, config, words, price, say) {
		const side = words[1], at = /^\$?\d+(\.\d+)?$/.test(words[2] || "") ? Number(words[2].replace("$", "")) : NaN;
		if ((side !== "above" && side !== "below") || !(at > 0)) return say("Write it like: /alert above 0.01 or /alert below 0.005");
		if (m.lines.length >= config.max_per_member) return say("You have " + m.lines.length + " lines, the most is " + config.max_per_member + ". /stop clears them.");
		if (passed({ side, price: at }, price)) return say("The price is already " + side + " " + written(at) + ".");
		return say("I will write to you when the price is " + side + " " + written(at) + ".", { ...m, lines: [...m.lines, { side, price: at }] });
	}

	function setQuiet(m, words, say) {
		const hours = /^(\d{1,2})-(\d{1,2})$/.exec(words[1] || "");
		if (!hours || hours[1] > 23 || hours[2] > 23) return say("Write it like: /quiet 22-7, hours in UTC. The same hour twice means never.");
		return say("Quiet from " + hours[1] + " to " + hours[2] + " UTC.", { ...m, quiet: [Number(hours[1]), Number(hours[2])] });
	}

	const passed = (line, price) => line.side === "above" ? price >= line.price : price <= line.price;

	// tick tells who has to hear of a price. A line speaks once and is gone; in
	// quiet hours and within the cooldown it waits.
	function tick(state, config, price, now) {
		const messages = [];
		let next = state;
		for (const [who, m] of Object.entries(state.members)) {
			const hit = m.lines.filter(l => passed(l, price));
			const tooSoon = m.lastAt !== null && now - m.lastAt < config.cooldown_minutes * 60000;
			if (!hit.length || tooSoon || isQuiet(m.quiet, now)) continue;
			messages.push({ to: who, text: "The price is " + written(price) + ": " + hit.map(l => l.side + " your " + written(l.price)).join(", ") + ". /stop ends these messages." });
			next = save(next, who, { ...m, lines: m.lines.filter(l => !passed(l, price)), lastAt: now });
		}
		return { state: next, messages };
	}

	return { fresh, handle, tick, isQuiet, written };
})();
