// Package notify sends messages to people: to the desktop of the user, to a Slack or Discord
// channel, or to a webhook.
//
// A Notifier has one queue per Target, so Send never blocks. A delivery that fails is repeated with
// a growing delay; after the last attempt the message is dropped and a warning is logged. Texts are
// sent as plain text: they cannot mention people, use formatting, or hide a link. The address of a
// target is a secret; logs and errors do not contain it.
package notify
