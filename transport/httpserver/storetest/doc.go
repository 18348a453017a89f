// Package storetest tests implementations of httpserver.Shared: Run runs the
// tests. Memory is an implementation in memory, for tests of several Handlers in
// one process.
package storetest
