// Package peer holds the steps that all transports share. On the server side,
// Admit finds the revision and the session of a request, Dispatch serves it, and
// WireError converts errors for a revision. On the client side, Params completes
// the parameters of a request, and a Router passes notifications to requests,
// subscriptions, listeners of legacy sessions and the host.
package peer
