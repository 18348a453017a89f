// Package e2e has no code: its tests run several processes of examples/board
// behind a load balancer, over NATS, and real clients against them.
package e2e
