package bridge

// Parsers of external data, for fuzz tests.
var (
	ReadFrame = readFrame
	Decode    = decode
	ProjectOf = projectOf
)
