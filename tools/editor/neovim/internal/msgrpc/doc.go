// Package msgrpc is a client of the MessagePack-RPC that Neovim speaks (github.com/msgpack-rpc/msgpack-rpc, spec.md).
//
// The other side is not believed. A message is bounded in its length, in the number of its values and in how deep they are nested
// before anything of it is decoded, and memory is taken as a message comes, not when a length is said. What breaks a rule ends
// the connection with an error.
package msgrpc
