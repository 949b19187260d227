const minute = 60000;
const noon = h => Date.UTC(2027, 0, 1, h);
const loud = { ...config, quiet_from: 0, quiet_to: 0 };
const add = (state, text, price, c = loud) => logic.handle(state, c, { member: "m", text }, price);

tests["a line speaks once and is gone"] = () => {
	let r = add(logic.fresh(), "/alert above 0.01", 0.005);
	equal(r.state.members.m.lines, [{ side: "above", price: 0.01 }]);
	r = logic.tick(r.state, loud, 0.0099, noon(12));
	equal(r.messages, []);
	r = logic.tick(r.state, loud, 0.0101, noon(12));
	equal(r.messages.length, 1);
	equal(logic.tick(r.state, loud, 0.02, noon(20)).messages, []);
};
tests["a line that is passed already is refused"] = () => {
	equal(add(logic.fresh(), "/alert below 0.01", 0.005).state.members, {});
};
tests["words that are no price are refused"] = () => {
	for (const bad of ["/alert", "/alert above", "/alert above lots", "/alert above -1", "/alert above 0", "/alert above 1e9", "/alert near 1"]) {
		const r = add(logic.fresh(), bad, 0.005);
		equal(r.state.members, {}, bad);
		assert(r.messages[0].text.startsWith("Write it like"), bad);
	}
};
tests["the number of lines is limited"] = () => {
	let state = logic.fresh();
	for (let i = 0; i < config.max_per_member + 3; i++) state = add(state, "/alert above " + (i + 1), 0.5).state;
	equal(state.members.m.lines.length, config.max_per_member);
};
tests["two messages keep their distance"] = () => {
	let state = add(add(logic.fresh(), "/alert above 1", 0.5).state, "/alert above 2", 0.5).state;
	state = logic.tick(state, loud, 1.5, noon(12)).state;
	equal(logic.tick(state, loud, 2.5, noon(12) + (config.cooldown_minutes - 1) * minute).messages, []);
	equal(logic.tick(state, loud, 2.5, noon(12) + config.cooldown_minutes * minute).messages.length, 1);
};
tests["quiet hours hold a message back, also past midnight"] = () => {
	const r = add(add(logic.fresh(), "/alert above 1", 0.5).state, "/quiet 22-7", 0.5);
	equal(logic.tick(r.state, loud, 2, noon(23)).messages, []);
	equal(logic.tick(r.state, loud, 2, noon(3)).messages, []);
	equal(logic.tick(r.state, loud, 2, noon(7)).messages.length, 1);
};
tests["the day keeps at least eight hours that are not quiet"] = () => {
	const loudHours = [...Array(24).keys()].filter(h => !logic.isQuiet([config.quiet_from, config.quiet_to], noon(h))).length;
	assert(loudHours >= 8, "quiet_from and quiet_to leave " + loudHours + " hours for alerts, at least 8 are needed");
};
tests["stop deletes a member"] = () => {
	const r = add(add(logic.fresh(), "/alert above 1", 0.5).state, "/stop", 0.5);
	equal(r.state.members, {});
};
tests["small prices keep their digits"] = () => {
	equal(logic.written(0.000001234), "$0.000001234");
	equal(logic.written(12.5), "$12.50");
};
tests["the page can be tried"] = () => {
	document.getElementById("above").click();
	const slider = document.getElementById("price");
	slider.value = 50;
	slider.dispatchEvent(new Event("input"));
	assert(document.getElementById("chat").textContent.includes("above your"), "no alert on the page");
};
