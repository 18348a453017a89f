package access

import "strings"

// The kinds of clients that Detect knows.
const (
	Cursor        = "cursor"
	ClaudeDesktop = "claude-desktop"
	ClaudeCode    = "claude-code"
	VSCode        = "vscode"
	Codex         = "codex"
	Gemini        = "gemini"
	JetBrains     = "jetbrains"
	Windsurf      = "windsurf"
	Zed           = "zed"
	Unknown       = "unknown"
)

// detected tells kinds by what the names of clients contain, in lower case with
// hyphens between the words. The first that fits counts.
var detected = [...]struct{ part, kind string }{
	{"cursor", Cursor}, // cursor-vscode
	{"claude-desktop", ClaudeDesktop},
	{"claude-code", ClaudeCode},
	{"claude-ai", ClaudeDesktop}, // as Claude Desktop calls itself
	{"visual-studio-code", VSCode},
	{"vscode", VSCode},
	{"codex", Codex},
	{"gemini", Gemini},
	{"jetbrains", JetBrains},
	{"windsurf", Windsurf},
}

// Detect tells which kind of client it is that calls itself name and whose HTTP
// requests have this User-Agent; either may be empty. It is Unknown if nothing is
// known.
func Detect(name, userAgent string) string {
	name, userAgent = plain(name), strings.ToLower(bounded(userAgent))
	if strings.Contains(userAgent, "cursor") {
		return Cursor // which may go by the name of the editor that it was made from
	}
	for _, d := range detected {
		if strings.Contains(name, d.part) {
			return d.kind
		}
	}
	switch {
	case name == "zed":
		return Zed
	case strings.Contains(name, "claude") && strings.Contains(name, "desktop"):
		return ClaudeDesktop
	case strings.Contains(userAgent, "vscode"):
		return VSCode
	}
	return Unknown
}

// plain is a name in lower case, its words apart by single hyphens.
func plain(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(bounded(name)), func(r rune) bool {
		return r == ' ' || r == '-' || r == '_'
	}), "-")
}

// maxName is how much is looked at of what a client says of itself, in bytes.
const maxName = 256

func bounded(s string) string { return s[:min(len(s), maxName)] }
