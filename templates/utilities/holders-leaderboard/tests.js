const who = (n, share, kind = "holder") => ({ address: "0x" + String(n).padStart(40, "0"), share, kind });

tests["rows are ranked by share and cut to size"] = () => {
	const top = [...Array(25).keys()].map(i => who(i, (i + 1) / 1000));
	const rows = logic.rows(config, { top });
	equal(rows.length, config.size);
	equal([rows[0].rank, rows[0].share], [1, "2.50 %"]);
};
tests["pools, lockers and burn addresses are left out"] = () => {
	equal(logic.rows(config, { top: [who(1, 0.4, "pool"), who(2, 0.3, "burn"), who(3, 0.2, "locker"), who(4, 0.1)] }).map(r => r.share), ["10.00 %"]);
};
tests["what is no holder is dropped"] = () => {
	equal(logic.rows(config, { top: [null, { address: "<b>", share: 0.1 }, { address: who(1).address, share: "lots" }, who(2, 7), who(3, 0.01)] }).length, 1);
	equal(logic.rows(config, { error: "down" }), null);
	equal(logic.rows(config, null), null);
};
tests["the highest badge that fits is given"] = () => {
	for (const b of config.badges) equal(logic.badge(config, b.min_percent / 100 + 1e-9), b.name, b.name + " can't be earned");
};
tests["no two badges are the same"] = () => {
	equal(new Set(config.badges.map(b => b.name.trim().toLowerCase())).size, config.badges.length, "two badges share a name");
	equal(new Set(config.badges.map(b => b.min_percent)).size, config.badges.length, "two badges share a min_percent");
};
tests["small shares keep their digits"] = () => {
	equal(["0.0123", "0.0000123", "0.00000001"].map(s => logic.percent(Number(s))), ["1.23 %", "0.0012 %", "< 0.001 %"]);
};
tests["the page shows the rows as text"] = () => {
	assert(show({ count: 41, never_sold: 7, top: [who(1, 0.25), who(2, 0.05)] }), "nothing was shown");
	equal(document.querySelectorAll("#rows tr").length, 2);
	equal(document.getElementById("summary").textContent, "41 hold it, 7 never sold");
	equal(show({ top: [] }), false, "an empty list");
	equal(document.querySelectorAll("#rows tr").length, 2, "the last good rows stay");
};
