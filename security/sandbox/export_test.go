package sandbox

// NewHelper returns the Helper of a program that calls Main.
func NewHelper() Helper { return newHelper() }

// Knows reports whether a kind has worked with a network.
func (h Helper) Knows(kind Kind, network Network) bool { return h.working.has(kind, network) }
