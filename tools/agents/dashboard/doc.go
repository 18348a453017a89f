// Package dashboard shows a crew of agents in a browser, live: what they do, their
// roles, their history and whether they can be used.
//
// It serves a page, which is embedded, and tells it of everything over a WebSocket at
// /ws. Whoever runs on this machine may look. Changes need the token that is in the URL
// which the owner was given, behind the #, where no server and no log sees it; off
// loopback addresses everything but the page itself needs it. Other sites and other names
// are refused before anything is looked at.
package dashboard
