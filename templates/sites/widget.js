"use strict";
// Brings the numbers up to date. The page already holds the last known ones,
// so whatever fails here changes nothing.
(() => {
	const box = document.querySelector("[data-market]");
	const units = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]];
	const trim = s => s.includes(".") ? s.replace(/0+$/, "").replace(/\.$/, "") : s;
	const count = v => {
		for (const [size, name] of units) if (Math.abs(v) >= size) return trim((v / size).toFixed(2)) + name;
		return trim(v.toFixed(2));
	};
	const usd = v => {
		const a = Math.abs(v);
		if (v === 0) return "$0";
		if (a < 1) return "$" + v.toFixed(Math.min(18, 3 - Math.floor(Math.log10(a)))).replace(/0+$/, "");
		return "$" + (a < 1000 ? v.toFixed(2) : count(v));
	};
	const ago = ms => {
		const s = Math.max(0, Math.round((Date.now() - ms) / 1000));
		if (s < 90) return "just now";
		if (s < 5400) return Math.round(s / 60) + " minutes ago";
		if (s < 129600) return Math.round(s / 3600) + " hours ago";
		return Math.round(s / 86400) + " days ago";
	};
	const age = () => {
		for (const t of document.querySelectorAll("time[data-age]")) {
			const at = Date.parse(t.dateTime);
			if (at) t.textContent = ago(at);
		}
	};
	const show = m => {
		for (const el of box.querySelectorAll("[data-k]")) {
			const v = m[el.dataset.k];
			if (typeof v === "number" && isFinite(v) && v >= 0) el.textContent = el.dataset.f === "usd" ? usd(v) : count(v);
		}
		const t = box.querySelector("time[data-age]");
		if (t && !isNaN(Date.parse(m.at))) t.dateTime = m.at;
	};
	const update = async () => {
		try {
			const res = await fetch(box.dataset.market, { signal: AbortSignal.timeout(8000), credentials: "omit" });
			if (!res.ok) return;
			const body = await res.json();
			show(body.market || body);
		} catch { /* offline: the last known numbers stay */ }
		age();
	};
	for (const b of document.querySelectorAll("button[data-copy]")) {
		if (!navigator.clipboard) continue;
		const label = b.textContent;
		b.hidden = false;
		b.addEventListener("click", async () => {
			try {
				await navigator.clipboard.writeText(b.dataset.copy);
				b.textContent = "Copied";
			} catch { b.textContent = "Select it by hand"; }
			setTimeout(() => { b.textContent = label; }, 2000);
		});
	}
	age();
	if (!box) return;
	update();
	setInterval(() => { if (!document.hidden) update(); }, 60000);
})();
