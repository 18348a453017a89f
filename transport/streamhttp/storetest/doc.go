// Package storetest tests what several streamhttp.Handlers share: Run is for
// whoever implements streamhttp.Shared, and Memory is one in memory, for tests of
// several Handlers in one process.
package storetest
