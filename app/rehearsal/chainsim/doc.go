// Package chainsim is the chain of the local world: a real EVM behind HTTP
// JSON-RPC, with a dead token that a seeded crowd brings back to life.
package chainsim
