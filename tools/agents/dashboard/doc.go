// Package dashboard shows a crew of agents in a browser, live: what they do, their
// roles, their history and whether they can be used.
//
// It serves a page, which is embedded, and tells it of everything over a WebSocket at
// /ws. Everything but the page itself needs the token that is in the URL which the owner
// was given, behind the #, where no server and no log sees it. Options.Open lets programs
// on this machine look without it. Other sites and other names are refused before anything
// is looked at.
package dashboard
