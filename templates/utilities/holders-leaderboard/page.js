"use strict";
const { config, holders } = JSON.parse(document.getElementById("page-data").textContent);
const show = answer => {
	const body = document.getElementById("rows"), rows = logic.rows(config, answer);
	if (!rows || !rows.length) return false;
	body.replaceChildren(...rows.map(r => {
		const tr = document.createElement("tr");
		const cell = (text, name) => { const td = document.createElement("td"); td.textContent = text; if (name) td.className = name; tr.append(td); return td; };
		cell(r.rank);
		const who = cell("");
		const code = document.createElement("code");
		code.textContent = r.short;
		code.title = r.address;
		who.append(code);
		cell(r.share, "num");
		const earned = cell("");
		if (r.badge) { const s = document.createElement("span"); s.className = "badge"; s.dir = "auto"; s.textContent = r.badge; earned.append(s); }
		return tr;
	}));
	document.getElementById("summary").textContent = logic.summary(answer);
	return true;
};
(async () => {
	const said = document.getElementById("said");
	try {
		const res = await fetch(holders, { signal: AbortSignal.timeout(10000), credentials: "omit" });
		if (!res.ok) throw new Error("status " + res.status);
		said.textContent = show(await res.json()) ? "" : "The list is empty for now.";
	} catch {
		said.textContent = "The list can't be read right now. Reload the page in a minute.";
	}
})();
