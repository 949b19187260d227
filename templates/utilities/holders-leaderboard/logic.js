"use strict";
// Turns the API's holders into the rows of the table.
const logic = (() => {
	const badge = (config, share) => {
		const earned = config.badges.filter(b => share * 100 >= b.min_percent).sort((a, b) => b.min_percent - a.min_percent);
		return earned.length ? earned[0].name : "";
	};
	const percent = share => {
		const p = share * 100;
		return (p === 0 || p >= 0.1 ? p.toFixed(2) : p >= 0.001 ? p.toFixed(4) : "< 0.001") + " %";
	};
	const short = address => address.slice(0, 6) + "…" + address.slice(-4);

	// rows takes only what has the shape of a holder; the answer came over a network.
	function rows(config, answer) {
		const data = answer && (answer.holders && answer.holders.top ? answer.holders : answer);
		if (!data || !Array.isArray(data.top)) return null;
		return data.top
			.filter(h => h && /^0x[0-9a-fA-F]{40}$/.test(h.address) && h.share >= 0 && h.share <= 1 && (h.kind === "holder" || !h.kind))
			.sort((a, b) => b.share - a.share)
			.slice(0, config.size)
			.map((h, i) => ({ rank: i + 1, address: h.address, short: short(h.address), share: percent(h.share), badge: badge(config, h.share) }));
	}

	function summary(answer) {
		const d = answer && (answer.holders && answer.holders.top ? answer.holders : answer) || {};
		const parts = [];
		if (d.count > 0) parts.push(d.count + " hold it");
		if (d.never_sold > 0) parts.push(d.never_sold + " never sold");
		return parts.join(", ");
	}

	return { rows, badge, percent, summary };
})();
