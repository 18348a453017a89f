// Package sessions keeps sessions of Streamable HTTP in NATS, so that every instance of
// a server can serve every client.
//
// A Store is the httpserver.Shared of the Handlers (the HTTP handlers of package httpserver)
// of all instances. Session records are
// in a key-value bucket of JetStream. Events from which clients resume are in a stream.
// Messages between instances, such as requests for the instance that runs a call, go over
// plain subjects and are lost while NATS is not reachable.
//
// NATS needs JetStream and version 2.10 or later. Any client that reaches the subjects can
// act in the name of every client of the server: use an account for them alone, and TLS.
package sessions
