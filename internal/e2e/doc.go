// Package e2e tests whole processes: a server on standard input and output,
// driven by the clients that people have.
//
// The clients are Node programs in the directory node, pinned by its lock file:
//
//	npm ci --prefix internal/e2e/node --ignore-scripts
//
// Without Node or them the tests that need them are skipped, or fail if the
// environment variable DOUGU_REQUIRE_ALL is 1.
package e2e
