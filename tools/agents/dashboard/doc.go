// Package dashboard serves a web page that shows agents live: their activity, roles, history and
// health.
//
// The page is embedded. It receives a snapshot and then events over a WebSocket at /ws. All
// requests except the page itself need a token. The owner's URL contains the token after the #, so
// that no server and no log receives it. Options.Open permits reading without the token on this
// machine. Requests with a foreign origin or host name are rejected first.
package dashboard
