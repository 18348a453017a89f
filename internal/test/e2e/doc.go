// Package e2e tests complete processes together with foreign software: a server on every transport with existing clients, and this
// module's client with servers of other libraries.
//
// The clients and one of the servers are Node.js programs in the directory node, with versions fixed by its lock file:
//
//	npm ci --prefix internal/test/e2e/node --ignore-scripts
//
// Tests whose programs are missing are skipped, or fail if the environment variable DOUGU_REQUIRE_ALL is 1. The other servers are
// in the module bench.
package e2e
