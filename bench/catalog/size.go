package catalog

// The size tool: a call with a long text as argument.
const (
	SizeName        = "size"
	SizeDescription = "Measures a text."
)

// SizeArgs are the arguments of the size tool.
type SizeArgs struct {
	Text string `json:"text" jsonschema:"The text to measure"`
}

// SizeResult is the result of the size tool.
type SizeResult struct {
	Bytes int `json:"bytes" jsonschema:"The length of the text in bytes of UTF-8"`
}

// Size returns the result of the size tool.
func Size(a SizeArgs) SizeResult { return SizeResult{Bytes: len(a.Text)} }
