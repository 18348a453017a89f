// Package errorclass says of errors what people and programs that watch a server want
// to know beside their code: how bad it is, whether trying again can help, what to
// tell the person at the keyboard, in English or Japanese, and which JSON-RPC code
// stands for it.
package errorclass
