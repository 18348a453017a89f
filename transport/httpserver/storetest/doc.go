// Package storetest tests stores that several httpserver.Handlers share: Run is for
// whoever implements httpserver.Shared, and Memory is one in memory, for tests of
// several Handlers in one process.
package storetest
