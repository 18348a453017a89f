// Package peer holds what every transport does alike at the door: deciding
// which revision a request speaks, writing errors as that revision has them,
// and, on a client's side, filling in requests and sorting notifications.
package peer
