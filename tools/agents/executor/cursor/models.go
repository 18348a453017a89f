package cursor

import (
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
)

const (
	maxModels  = 500
	maxModelID = 128
)

var (
	// modelLine is "id - Display Name", or the identifier alone; older builds put a bullet before it.
	modelLine = regexp.MustCompile(`^(?:[-*•>→✓]\s+)?([A-Za-z0-9][\w./:@+\[\]=,-]*)(?:\s+[-–—]\s+(.+))?$`)
	// modelFlags stand behind that, in parentheses.
	modelFlags = regexp.MustCompile(`\s*\(((?:current|default|,|\s)+)\)$`)
)

// ParseModels reads what the program prints as the list of its models:
//
//	Available models
//
//	auto - Auto (current)
//	composer-2.5 - Composer 2.5 (default)
//
// Colours, headings, notices and other lines that name no model are left out.
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
	// A word alone may be anything: identifiers have a digit or a hyphen in them.
	m.Name = m.ID
	return m, m.Current || m.Default || m.ID == "auto" || strings.ContainsAny(m.ID, "-0123456789")
}
