"use strict";
// The game without its picture: the same seed and the same moves give the same
// game. The field is 3 wide and 4 high; seconds and field units throughout.
const logic = (() => {
	const width = 3, height = 4, ground = 3.7, reach = 0.34, walk = 4.2;

	// luck is mulberry32: small, seeded, the same everywhere.
	const luck = seed => {
		seed = (seed + 0x6D2B79F5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return [seed, ((t ^ (t >>> 14)) >>> 0) / 4294967296];
	};

	const fresh = (config, seed) => ({ seed, x: width / 2, things: [], next: 0.4, time: config.seconds, lives: config.lives, score: 0, row: 0, over: false });

	// step moves the game by dt seconds. input is {move: -1, 0 or 1} or {to: x}.
	function step(g, config, input, dt) {
		if (g.over) return g;
		dt = Math.min(dt, 0.05, g.time);
		const n = { ...g, time: g.time - dt, next: g.next - dt };
		n.x = walked(g.x, input, dt);
		n.things = g.things.map(t => ({ ...t, y: t.y + t.v * dt }));
		land(n);
		if (n.next <= 0) drop(n, config);
		n.over = n.lives <= 0 || n.time <= 1e-9;
		return n;
	}

	function walked(x, input, dt) {
		const want = input.to === undefined ? x + (input.move || 0) * walk * dt : x + Math.max(-walk * 2 * dt, Math.min(walk * 2 * dt, input.to - x));
		return Math.max(reach, Math.min(width - reach, want));
	}

	function land(n) {
		const left = [];
		for (const t of n.things) {
			const caught = Math.abs(t.y - ground) < 0.22 && Math.abs(t.x - n.x) < reach;
			if (caught && t.good) { n.row++; n.score += 10 + Math.min(n.row, 10); }
			else if (caught) { n.lives--; n.row = 0; }
			else if (t.y < height + 0.3) left.push(t);
			else if (t.good) n.row = 0;
		}
		n.things = left;
	}

	function drop(n, config) {
		const gone = config.seconds - n.time;
		let a, b, c;
		[n.seed, a] = luck(n.seed);
		[n.seed, b] = luck(n.seed);
		[n.seed, c] = luck(n.seed);
		n.things = [...n.things, { x: reach + a * (width - 2 * reach), y: -0.3, v: (0.9 + 0.35 * config.speed) * (1 + gone / 60) * (0.85 + 0.3 * b), good: c > 0.36 }];
		n.next = Math.max(0.28, 0.95 - 0.08 * config.speed - gone / 150);
	}

	return { fresh, step, width, height, ground, reach };
})();
