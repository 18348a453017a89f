package neovim

import (
	"time"
)

// patterns are none: whose a named pipe is cannot be told from its name.
func patterns() []string { return nil }

func ours(string) (time.Time, bool) { return time.Time{}, false }
