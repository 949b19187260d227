(async () => {
	const assert = (ok, why) => { if (!ok) throw new Error(why || "should hold"); };
	const equal = (got, want, why) => {
		const g = JSON.stringify(got), w = JSON.stringify(want);
		if (g !== w) throw new Error((why ? why + ": " : "") + "got " + g + ", want " + w);
	};
	const tests = {};
	/*TESTS*/
	const results = [];
	for (const [name, test] of Object.entries(tests)) {
		try { await test(); results.push({ name, ok: true, why: "" }); }
		catch (e) { results.push({ name, ok: false, why: String(e && e.message || e) }); }
	}
	return results;
})()
