// Package template finds the templates of messages in source texts.
//
// A template is a string literal whose variable parts a program replaces before it prints a message: "Port %d is in use",
// `Port ${port} is in use`, "Port {} is in use", or the concatenation "Port " + port + " is in use". A message is such a printed
// text, as a user pastes it into a search: "[10:31:07] Error: Port 5173 is in use".
//
// [Parse] normalizes a message. [Message.Find] scans a text for literals whose fixed parts occur in the message, in order. It
// needs no parser: a literal is text between quotes on one line, or in files of data the value of a key. Literals that follow
// each other within one statement are joined.
//
// The cost of Find is linear in the length of the text, for any content. All functions depend only on their arguments.
package template
