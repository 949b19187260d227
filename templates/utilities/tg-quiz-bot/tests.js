const t0 = Date.UTC(2027, 0, 1);
const play = (...steps) => steps.reduce(([state, log], [kind, ...a]) => {
	const r = kind === "say" ? logic.handle(state, config, { member: a[0], text: a[1] }, a[2]) : logic.close(state, config, a[0]);
	return [r.state, [...log, ...r.messages]];
}, [logic.fresh(t0), []]);
const rightOf = i => String(config.questions[i].answer + 1);
const wrongOf = i => String((config.questions[i].answer + 1) % config.questions[i].options.length + 1);
const end = t0 + config.seconds * 1000;

tests["every question can be answered and has different options"] = () => {
	config.questions.forEach((q, i) => {
		assert(q.answer < q.options.length, "questions[" + i + "]: the answer " + q.answer + " is not one of the options");
		const seen = new Set(q.options.map(o => o.trim().toLowerCase()));
		equal(seen.size, q.options.length, "questions[" + i + "]: two options are the same");
	});
};
tests["no question is asked twice in a round"] = () => {
	equal(new Set(config.questions.map(q => q.question.trim().toLowerCase())).size, config.questions.length, "two questions are the same");
};
tests["the first right answers earn 3 and 2"] = () => {
	const [state] = play(["say", "a", "/quiz", t0], ["say", "b", wrongOf(0), t0 + 1], ["say", "c", rightOf(0), t0 + 2], ["say", "d", rightOf(0), t0 + 3], ["close", end]);
	equal(logic.ranking(state), [["c", 3], ["d", 2]]);
};
tests["only the first answer counts"] = () => {
	const [state] = play(["say", "a", "/quiz", t0], ["say", "b", wrongOf(0), t0 + 1], ["say", "b", rightOf(0), t0 + 2], ["close", end]);
	equal(logic.ranking(state), []);
};
tests["an answer after the end counts nothing"] = () => {
	const [state] = play(["say", "a", "/quiz", t0], ["say", "b", rightOf(0), end + 1], ["close", end + 2]);
	equal(logic.ranking(state), []);
};
tests["nothing closes before its time"] = () => {
	const [state, log] = play(["say", "a", "/quiz", t0], ["close", end - 1]);
	assert(state.open, "the question closed early");
	equal(log.length, 1);
};
tests["the season's table goes out and starts anew"] = () => {
	const later = t0 + config.season_days * 86400000 + 1;
	const [state, log] = play(["say", "a", "/quiz", t0], ["say", "b", rightOf(0), t0 + 1], ["close", end], ["say", "a", "/quiz", later]);
	equal(state.season, 2);
	equal(logic.ranking(state), []);
	assert(log.some(m => m.startsWith("Season 1 is over.\n1. b: 3")), "no closing table in " + JSON.stringify(log));
};
tests["the page plays"] = () => {
	document.querySelector("[data-say='/quiz']").click();
	assert(document.getElementById("chat").textContent.includes(config.questions[0].question), "the question is not on the page");
};
