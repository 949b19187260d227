"use strict";
const { config, token } = JSON.parse(document.getElementById("page-data").textContent);
(() => {
	const $ = id => document.getElementById(id);
	const canvas = $("field"), pen = canvas.getContext("2d"), start = $("start"), key = "best:" + token.address;
	const colours = getComputedStyle(document.documentElement);
	const c = name => colours.getPropertyValue(name).trim();
	let game = null, last = 0, held = {}, to, best = 0;
	try { best = Number(localStorage.getItem(key)) || 0; } catch { /* private mode: the best score lasts as long as the page */ }

	const stats = () => {
		$("score").textContent = game ? game.score : 0;
		$("lives").textContent = game ? game.lives : config.lives;
		$("time").textContent = Math.ceil(game ? game.time : config.seconds);
		$("best").textContent = best;
	};
	const fit = () => {
		const box = canvas.getBoundingClientRect(), scale = Math.min(devicePixelRatio || 1, 2);
		canvas.width = Math.max(300, Math.round(box.width * scale));
		canvas.height = Math.round(canvas.width * logic.height / logic.width);
		draw();
	};
	const disc = (x, y, r, fill) => { pen.fillStyle = fill; pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.fill(); };
	function draw() {
		const u = canvas.width / logic.width;
		pen.clearRect(0, 0, canvas.width, canvas.height);
		pen.fillStyle = c("--c0");
		pen.fillRect(0, 0, canvas.width, canvas.height);
		const g = game || { x: logic.width / 2, things: [] };
		for (const t of g.things) {
			if (t.good) {
				disc(t.x * u, t.y * u, 0.17 * u, c("--accent"));
				disc(t.x * u, t.y * u, 0.09 * u, c("--c0"));
			} else { // a cross: told apart by shape, not by colour alone
				pen.strokeStyle = c("--on0");
				pen.lineWidth = 0.07 * u;
				pen.beginPath();
				for (const s of [-1, 1]) { pen.moveTo((t.x - 0.13) * u, (t.y - 0.13 * s) * u); pen.lineTo((t.x + 0.13) * u, (t.y + 0.13 * s) * u); }
				pen.stroke();
			}
		}
		pen.fillStyle = c("--on0");
		pen.beginPath();
		pen.roundRect((g.x - logic.reach) * u, (logic.ground - 0.08) * u, 2 * logic.reach * u, 0.18 * u, 0.09 * u);
		pen.fill();
	}
	function frame(now) {
		if (!game) return;
		const move = (held.right ? 1 : 0) - (held.left ? 1 : 0);
		game = logic.step(game, config, move || to === undefined ? { move } : { to }, (now - last) / 1000);
		last = now;
		draw();
		stats();
		if (game.over) finish(); else requestAnimationFrame(frame);
	}
	function begin() {
		game = logic.fresh(config, Math.floor(Math.random() * 2 ** 31));
		to = undefined;
		held = {};
		$("said").textContent = "";
		start.hidden = true;
		last = performance.now();
		canvas.focus();
		requestAnimationFrame(frame);
	}
	function finish() {
		const score = game.score, record = score > best;
		if (record) {
			best = score;
			try { localStorage.setItem(key, String(best)); } catch { /* see above */ }
		}
		stats();
		game = null;
		$("said").textContent = "Over: " + score + " points" + (record ? ", your best so far." : ".");
		start.textContent = "Again";
		start.hidden = false;
		start.focus();
	}
	const keys = { ArrowLeft: "left", a: "left", ArrowRight: "right", d: "right" };
	addEventListener("keydown", e => { if (game && keys[e.key]) { held[keys[e.key]] = true; to = undefined; e.preventDefault(); } });
	addEventListener("keyup", e => { if (keys[e.key]) held[keys[e.key]] = false; });
	const point = e => { to = (e.clientX - canvas.getBoundingClientRect().left) / canvas.getBoundingClientRect().width * logic.width; };
	canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); point(e); });
	canvas.addEventListener("pointermove", e => { if (e.pointerType === "mouse" || e.buttons) point(e); });
	document.addEventListener("visibilitychange", () => { last = performance.now(); });
	addEventListener("resize", fit);
	start.addEventListener("click", begin);
	fit();
	stats();
})();
