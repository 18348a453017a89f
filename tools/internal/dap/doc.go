// Package dap drives debuggers that speak the Debug Adapter Protocol: it starts an adapter, asks it, hears its events, and ends
// it with everything that it has started, whatever it does.
//
// A [Session] is one adapter with one program to debug. An adapter is a process that speaks over its standard streams, or one that
// prints an address of the loopback interface at which it then listens ([Config.Announces]). It is taken to be capable of anything:
// it may hang, die, answer what was not asked, or send without end. Messages are bounded, every call ends, and what the adapter
// leaves behind is found by a mark in its environment where the system knows that of a process (Linux); elsewhere its process group
// is ended.
//
// The types of arguments and answers are those of github.com/google/go-dap. Its codec is not used: it refuses events and requests
// that it does not know, which adapters are free to send, it sets memory aside for whatever length a header promises, and it reads
// no header but Content-Length. Messages are framed by package tools/internal/lsp/frame, as the messages of language servers are.
package dap
