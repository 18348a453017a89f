// Package msgrpc is a client of MessagePack-RPC, the protocol of Neovim (github.com/msgpack-rpc/msgpack-rpc, spec.md).
//
// [Conn] sends requests and receives responses and notifications. It refuses requests of the other side. [Reader] reads messages
// from a stream and validates them.
//
// The other side is not trusted. The length of a message, the number of its values and their nesting are limited, and checked
// before decoding. Memory is allocated as data arrives, not by announced lengths. A violation ends the connection with an error.
package msgrpc
