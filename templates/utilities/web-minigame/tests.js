// run plays a whole game with a way to choose the move.
const run = (seed, choose) => {
	let g = logic.fresh(config, seed), steps = 0;
	while (!g.over && steps++ < 20000) g = logic.step(g, config, choose(g), 1 / 60);
	return { ...g, steps };
};
const still = () => ({ move: 0 });
// greedy goes for the lowest good thing and ignores the rest.
const greedy = g => {
	const good = g.things.filter(t => t.good && t.y < logic.ground + 0.2).sort((a, b) => b.y - a.y)[0];
	return good ? { to: good.x } : still();
};

tests["a game ends when its time is over"] = () => {
	const g = run(7, g => ({ to: logic.width / 2 + (g.things.some(t => !t.good && Math.abs(t.x - logic.width / 2) < 0.6) ? 1 : 0) }));
	assert(g.over, "it never ended");
	assert(g.time <= 1e-9 || g.lives <= 0, "it ended early with " + g.time + " s left");
	assert(g.steps <= config.seconds * 60 + 61, "it ran too long");
};
tests["the same seed and moves give the same game"] = () => {
	equal(run(42, greedy), run(42, greedy));
	assert(JSON.stringify(run(42, greedy)) !== JSON.stringify(run(43, greedy)), "two seeds give one game");
};
tests["playing beats standing still"] = () => {
	let played = 0, stood = 0;
	for (let seed = 1; seed <= 8; seed++) { played += run(seed, greedy).score; stood += run(seed, still).score; }
	assert(played > stood * 1.5, played + " points by playing, " + stood + " by standing");
};
tests["catching the wrong thing costs a life"] = () => {
	const g = { ...logic.fresh(config, 1), things: [{ x: 1.5, y: logic.ground, v: 0, good: false }], next: 9 };
	equal(logic.step(g, config, still(), 0.01).lives, config.lives - 1);
};
tests["catches in a row are worth more"] = () => {
	const at = row => logic.step({ ...logic.fresh(config, 1), row, things: [{ x: 1.5, y: logic.ground, v: 0, good: true }], next: 9 }, config, still(), 0.01).score;
	assert(at(5) > at(0), "a row is worth nothing");
	equal(at(50), at(10), "without end");
};
tests["the player stays in the field"] = () => {
	let g = logic.fresh(config, 1);
	for (let i = 0; i < 200; i++) g = logic.step({ ...g, things: [] }, config, { move: -1 }, 0.05);
	assert(g.x >= logic.reach, "left at " + g.x);
};
tests["a late frame does not skip the game"] = () => {
	const g = logic.step(logic.fresh(config, 1), config, still(), 60);
	assert(g.time > config.seconds - 0.1, "one frame took " + (config.seconds - g.time) + " s");
};
tests["the page starts by button and listens to keys"] = () => {
	document.getElementById("start").click();
	assert(document.getElementById("start").hidden, "it did not start");
	const down = new KeyboardEvent("keydown", { key: "ArrowLeft", cancelable: true });
	dispatchEvent(down);
	assert(down.defaultPrevented, "the key was not taken");
	dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowLeft" }));
};
