package access

import "strings"

// Kinds of clients that Detect returns.
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

// clientPatterns maps a part of a normalized client name to its kind. The first match counts.
var clientPatterns = [...]struct{ part, kind string }{
	{"cursor", Cursor}, // cursor-vscode
	{"claude-desktop", ClaudeDesktop},
	{"claude-code", ClaudeCode},
	{"claude-ai", ClaudeDesktop}, // name of Claude Desktop
	{"visual-studio-code", VSCode},
	{"vscode", VSCode},
	{"codex", Codex},
	{"gemini", Gemini},
	{"jetbrains", JetBrains},
	{"windsurf", Windsurf},
}

// Detect returns the kind of a client from its name and the User-Agent of its HTTP requests; either
// may be empty. It returns Unknown if nothing matches.
func Detect(name, userAgent string) string {
	name, userAgent = normalizeName(name), strings.ToLower(truncateName(userAgent))
	if strings.Contains(userAgent, "cursor") {
		return Cursor // Cursor can use the name of VS Code
	}
	for _, d := range clientPatterns {
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

// normalizeName returns a name in lower case with single hyphens between its words.
func normalizeName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(truncateName(name)), func(r rune) bool {
		return r == ' ' || r == '-' || r == '_'
	}), "-")
}

// maxName is the number of bytes of a name or User-Agent that are used.
const maxName = 256

func truncateName(s string) string { return s[:min(len(s), maxName)] }
