package bridge

// The parsers of what comes from outside, for fuzzing.
var (
	ReadFrame = readFrame
	Decode    = decode
	ProjectOf = projectOf
)
