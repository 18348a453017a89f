//go:build !linux

package e2e

// processTests need /proc.
var processTests map[string]func(h *house)
