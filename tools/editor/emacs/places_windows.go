package emacs

// directories are where Emacs puts files that say where it listens: it has no sockets.
func directories() []string { return configured() }
