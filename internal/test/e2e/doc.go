// Package e2e tests whole processes with what other people have made: a server
// on every transport, driven by the clients that people have, and this module's
// client with servers of other libraries.
//
// The clients and one of the servers are Node programs in the directory node,
// pinned by its lock file:
//
//	npm ci --prefix internal/test/e2e/node --ignore-scripts
//
// Without Node or them the tests that need them are skipped, or fail if the
// environment variable DOUGU_REQUIRE_ALL is 1. The other servers are those of
// the module in the directory bench.
package e2e
