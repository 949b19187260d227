// Prints the medians of Lighthouse's reports of one page, and what cost points.
// Ends with 1 when a median is under what is promised.
const { readFileSync } = require('fs');

const promised = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };
const [page, ...files] = process.argv.slice(2);
const reports = files.map((file) => JSON.parse(readFileSync(file)));
const median = (of) => of.sort((a, b) => a - b)[of.length >> 1];
const figures = (id) => Math.round(median(reports.map((r) => r.audits[id].numericValue)));

let short = false;
const scores = Object.entries(promised).map(([id, least]) => {
  const score = Math.round(100 * median(reports.map((r) => r.categories[id].score)));
  if (score < least) short = true;
  return `${id} ${score}`;
});
console.log(`${page}: ${scores.join(', ')} (paint ${figures('largest-contentful-paint')} ms, blocked ${figures('total-blocking-time')} ms, shift ${median(reports.map((r) => r.audits['cumulative-layout-shift'].numericValue)).toFixed(3)}, ${Math.round(figures('total-byte-weight') / 1000)} kB)`);

if (short) for (const id of Object.keys(promised)) {
  for (const { id: audit, weight } of reports[0].categories[id].auditRefs) {
    const { score, title, displayValue = '' } = reports[0].audits[audit];
    if (weight && score !== null && score < 0.9) console.log(`  ${id}: ${title} ${displayValue}`);
  }
}
process.exit(short ? 1 : 0);
