// Package notify tells people elsewhere what has happened: on their desktop, in a channel
// of Slack or Discord, or through a webhook of their own.
//
// Who has something to tell does not wait: each target has a queue of its own, and what
// cannot be delivered after some attempts is given up, which a log tells. Texts are shown
// as they are: they cannot mention anybody, format anything or hide a link. The address of
// a target is a secret, which neither logs nor errors show.
package notify
