package neovim

import (
	"time"
)

// patterns is empty: the name of a named pipe does not show its owner.
func patterns() []string { return nil }

func isOwnSocket(string) (time.Time, bool) { return time.Time{}, false }
