// Package dap is a client of debuggers that speak the Debug Adapter Protocol. It starts an adapter, sends requests, receives
// events, and ends the adapter with all of its processes.
//
// A [Session] is one adapter with one program to debug. An adapter speaks over its standard streams, or prints an address of
// the loopback interface at which it then listens ([Config.Announces]). Adapters are untrusted: one may hang, crash, send
// unrequested answers, or send without end. Messages are limited in size, and every call ends. Remaining processes are found by
// a mark in their environment on Linux, and by the process group elsewhere.
//
// The types of arguments and answers are those of github.com/google/go-dap. Its codec is not used, for three reasons. It
// refuses unknown events and requests, which adapters may send. It allocates memory by the announced length. It reads no header
// but Content-Length. Messages are framed by package tools/internal/lsp/frame, like those of language servers.
package dap
