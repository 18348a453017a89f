// Package sessions keeps sessions of Streamable HTTP in NATS, so that every
// instance of a server can serve every client (see httpserver.Shared). Records
// are in a key-value bucket of JetStream, what clients can come back for is in a
// stream, and what instances tell each other goes over plain subjects.
//
// NATS needs JetStream and version 2.10 or later. Who can reach the subjects can
// do everything in the name of every client: use an account of their own, and TLS.
package sessions
