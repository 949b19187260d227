// Compiles every .sol file of a folder to <Name>.json beside it: abi, bytecode,
// deployed, and the SHA-256 of the folder's sources, which the tests compare.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const solc = require("solc");

for (const folder of process.argv.slice(2)) {
  const names = fs.readdirSync(folder).filter((f) => f.endsWith(".sol"));
  const sources = Object.fromEntries(names.map((f) => [f, { content: fs.readFileSync(path.join(folder, f), "utf8") }]));
  const hash = crypto.createHash("sha256");
  for (const f of names.sort()) hash.update(sources[f].content);
  const digest = hash.digest("hex");
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    viaIR: true,
    evmVersion: "paris", // no PUSH0: the probe has to run on any chain
    metadata: { bytecodeHash: "none" },
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
  };
  const out = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
  const errors = (out.errors || []).filter((e) => e.severity === "error");
  if (errors.length) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
  for (const file of names) {
    const name = path.basename(file, ".sol");
    const c = out.contracts[file][name];
    if (!c.evm.bytecode.object) continue; // abstract
    const json = { sources: digest, abi: c.abi, bytecode: "0x" + c.evm.bytecode.object, deployed: "0x" + c.evm.deployedBytecode.object };
    fs.writeFileSync(path.join(folder, name + ".json"), JSON.stringify(json, null, 1) + "\n");
  }
}
