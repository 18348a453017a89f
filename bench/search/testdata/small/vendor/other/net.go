package other

// splitHostPort is somebody else's.
func splitHostPort(addr string) (host, port string) { return addr, "" }
