package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// models are the built-in models: identifier and display name.
var models = [][2]string{
	{"auto", "Auto"},
	{"composer-2.5", "Composer 2.5"},
	{"composer-2.5-fast", "Composer 2.5 Fast"},
	{"claude-4-sonnet", "Claude 4 Sonnet"},
	{"claude-4.6-sonnet-medium", "Claude 4.6 Sonnet"},
	{"claude-4.6-opus-high-thinking", "Claude 4.6 Opus (Thinking)"},
	{"gpt-5.5-high", "GPT-5.5 High"},
	{"gemini-3.5-pro", "Gemini 3.5 Pro"},
}

func identifiers(env map[string]string) []string {
	if list := env["FAKEAGENT_MODELS"]; list != "" {
		return strings.Split(list, ",")
	}
	var ids []string
	for _, m := range models {
		ids = append(ids, m[0])
	}
	return ids
}

func hasModel(env map[string]string, id string) bool { return slices.Contains(identifiers(env), id) }

// displayName returns the display name of a model.
func displayName(id string) string {
	for _, m := range models {
		if m[0] == id {
			return m[1]
		}
	}
	if id == "" {
		return "Auto"
	}
	return id
}

// listModels prints the models with terminal colours.
func listModels(env map[string]string, login bool, w io.Writer) {
	if !login {
		fmt.Fprintln(w, "No models available for this account.")
		return
	}
	fmt.Fprint(w, "\x1b[2K\x1b[GAvailable models\n\n")
	for i, id := range identifiers(env) {
		flags := ""
		switch i {
		case 0:
			flags = "  \x1b[2m(current)\x1b[22m"
		case 1:
			flags = "  \x1b[2m(default)\x1b[22m"
		}
		fmt.Fprintf(w, "\x1b[36m%s\x1b[39m - %s%s\n", id, displayName(id), flags)
	}
	fmt.Fprint(w, "\nTip: use --model <id> (or /model <id> in interactive mode) to switch.\n")
}
