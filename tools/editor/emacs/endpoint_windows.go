package emacs

// endpointDirs returns the default directories of server files. Emacs has no sockets on Windows.
func endpointDirs() []string { return serverFileDirs() }
