//go:build !linux

package agentclients

// helpers returns the commands of the test binary with which it is a server. Each has arguments.
func helpers() map[string]func(args []string) error {
	return map[string]func([]string) error{probeCommand: serveProbe}
}
