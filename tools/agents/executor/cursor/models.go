package cursor

import (
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

// Limits of the list: number of models, and bytes of an ID.
const (
	maxModels  = 500
	maxModelID = 128
)

var (
	// modelLine matches "id - Display Name" or an ID alone; older builds print a bullet
	// before it.
	modelLine = regexp.MustCompile(`^(?:[-*•>→✓]\s+)?([A-Za-z0-9][\w./:@+\[\]=,-]*)(?:\s+[-–—]\s+(.+))?$`)
	// modelFlags matches the flags at the end of a line, in parentheses.
	modelFlags = regexp.MustCompile(`\s*\(((?:current|default|,|\s)+)\)$`)
)

// ParseModels reads the list of models in the form that the program prints:
//
//	Available models
//
//	auto - Auto (current)
//	composer-2.5 - Composer 2.5 (default)
//
// It ignores colors, headings, notices and all other lines without a model, and returns at
// most 500 models, each ID once.
func ParseModels(text string) []executor.Model {
	var models []executor.Model
	seen := make(map[string]bool)
	for line := range strings.Lines(strings.ReplaceAll(command.Plain(text), "\r", "\n")) {
		m, ok := parseModel(strings.TrimSpace(line))
		if !ok || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		if models = append(models, m); len(models) == maxModels {
			break
		}
	}
	return models
}

// parseModel reads one line.
func parseModel(line string) (m executor.Model, ok bool) {
	for {
		flags := modelFlags.FindStringSubmatchIndex(line)
		if flags == nil {
			break
		}
		words := line[flags[2]:flags[3]]
		m.Current = m.Current || strings.Contains(words, "current")
		m.Default = m.Default || strings.Contains(words, "default")
		line = line[:flags[0]]
	}
	parts := modelLine.FindStringSubmatch(line)
	if parts == nil || len(parts[1]) > maxModelID || strings.HasSuffix(parts[1], ":") || strings.Contains(parts[1], "://") {
		return executor.Model{}, false
	}
	if m.ID, m.Name = parts[1], strings.TrimSpace(parts[2]); m.Name != "" {
		return m, true
	}
	// A single word may be a heading. IDs contain a digit or a hyphen.
	m.Name = m.ID
	return m, m.Current || m.Default || m.ID == "auto" || strings.ContainsAny(m.ID, "-0123456789")
}
