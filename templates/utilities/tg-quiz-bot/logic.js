"use strict";
// The quiz as pure functions: state in, state and messages out. Instants are
// milliseconds. The host sends the messages; the bot holds no key.
const logic = (() => {
	const day = 86400000;
	const points = [3, 2, 1]; // for the first, second and third right answer

	const fresh = now => ({ season: 1, seasonEnds: 0, startedAt: now, asked: 0, open: null, scores: {} });

	// rolled starts a new season when the old one is over; its table goes out first.
	function rolled(state, config, now) {
		const ends = state.seasonEnds || state.startedAt + config.season_days * day;
		if (now < ends) return { state: { ...state, seasonEnds: ends }, messages: [] };
		const last = ranking(state);
		const messages = last.length ? ["Season " + state.season + " is over.\n" + table(state)] : [];
		return { state: { ...state, season: state.season + 1, seasonEnds: now + config.season_days * day, scores: {} }, messages };
	}

	function ask(before, config, now) {
		const { state, messages } = rolled(before, config, now);
		if (state.open) return { state, messages: [...messages, "One question at a time: the last one is still open."] };
		const index = state.asked % config.questions.length;
		const q = config.questions[index];
		const lines = q.options.map((o, i) => (i + 1) + ". " + o);
		return {
			state: { ...state, asked: state.asked + 1, open: { index, until: now + config.seconds * 1000, right: [], tried: [] } },
			messages: [...messages, q.question + "\n" + lines.join("\n") + "\nAnswer with the number. " + config.seconds + " seconds."],
		};
	}

	// answer counts a member's first answer only; it stays silent, so that
	// nobody can copy.
	function answer(state, config, member, text, now) {
		const open = state.open;
		if (!open || now > open.until || open.tried.includes(member)) return { state, messages: [] };
		const choice = /^\s*([1-4])\s*$/.exec(text);
		if (!choice) return { state, messages: [] };
		const right = Number(choice[1]) - 1 === config.questions[open.index].answer;
		return { state: { ...state, open: { ...open, tried: [...open.tried, member], right: right ? [...open.right, member] : open.right } }, messages: [] };
	}

	function close(state, config, now) {
		const open = state.open;
		if (!open || now < open.until) return { state, messages: [] };
		const q = config.questions[open.index];
		const scores = { ...state.scores };
		open.right.forEach((m, i) => { scores[m] = (scores[m] || 0) + (points[i] || 1); });
		const who = open.right.length ? "Right: " + open.right.join(", ") + "." : "Nobody had it.";
		return { state: { ...state, open: null, scores }, messages: ["It was: " + q.options[q.answer] + ". " + q.note + "\n" + who] };
	}

	const ranking = state => Object.entries(state.scores).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

	const table = state => ranking(state).slice(0, 10).map(([m, p], i) => (i + 1) + ". " + m + ": " + p).join("\n") || "No points yet this season.";

	function handle(state, config, message, now) {
		const text = message.text.trim();
		if (/^\/quiz(@\w+)?$/.test(text)) return ask(state, config, now);
		if (/^\/table(@\w+)?$/.test(text)) return { state, messages: [table(state)] };
		return answer(state, config, message.member, text, now);
	}

	return { fresh, handle, close, ranking, table };
})();
