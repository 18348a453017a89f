package command

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
)

// rule is why a command is refused, as its message names it.
type rule string

const (
	ruleDelete   rule = "deletion"
	ruleWrite    rule = "protected file"
	ruleDevice   rule = "device"
	ruleSystem   rule = "system control"
	ruleBomb     rule = "fork bomb"
	ruleRemote   rule = "code from the network"
	ruleRights   rule = "rights and owners"
	ruleSchedule rule = "scheduled command"
	ruleUnclear  rule = "strict: not understood"
	ruleOutside  rule = "strict: outside the project"
	ruleDenied   rule = "denied commands"
	ruleAllowed  rule = "allowed commands"
	ruleBounds   rule = "bounds"
	ruleCode     rule = "code of an interpreter"
)

// advice is what to do instead.
func (r rule) advice() string {
	switch r {
	case ruleDelete:
		return "Delete what is needed by its path inside the project, or ask the user to run the command."
	case ruleWrite:
		return "Work on files of the project, or ask the user to change this one."
	case ruleRemote:
		return "Save it to a file, read that, and run the file in a command of its own; or ask the user to run it."
	case ruleRights:
		return "Change the files of the project that need it, by their paths."
	case ruleUnclear:
		return "Write the command plainly: literal names and paths, no computed scripts."
	case ruleOutside:
		return "Stay in the project and in the directories for temporary files."
	case ruleAllowed:
		return "Use one of the allowed commands, or ask the user to run it or to allow it."
	case ruleBounds:
		return "Put it into a script file, or run it in several smaller commands."
	case ruleDevice, ruleSystem, ruleBomb, ruleSchedule, ruleDenied, ruleCode:
	}
	return "Do not try to get around the rule; ask the user to run the command if it is really needed."
}

const maxShown = 160

// clip bounds what a message repeats.
func clip(text string) string {
	text = strings.ToValidUTF8(shown(text), "\uFFFD")
	if len(text) > maxShown {
		cut := maxShown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// refuse remembers why the script must not run; the first reason counts.
func (r *reader) refuse(rule rule, argv []string, format string, args ...any) {
	if r.refusal != nil {
		return
	}
	var where string
	if n := len(r.through); n > 0 && !strings.HasPrefix(strings.Join(argv, " "), r.through[n-1]) {
		where = fmt.Sprintf(" (run by %s)", clip(r.through[n-1]))
	}
	r.refusal = &security.Error{
		Code:    security.CommandBlocked,
		Message: fmt.Sprintf("%q%s is refused: %s (rule: %s)", clip(strings.Join(argv, " ")), where, fmt.Sprintf(format, args...), rule),
		Next:    rule.advice(),
		Err:     fs.ErrPermission,
	}
}

// doubt refuses what cannot be understood, in strict mode.
func (r *reader) doubt(argv []string, format string, args ...any) {
	if r.strict() && r.trusting == 0 {
		r.refuse(ruleUnclear, argv, format, args...)
	}
}

func (r *reader) tooMuch(why string) { r.refuse(ruleBounds, []string{"the script"}, "%s", why) }

// label names a script in a message: by its text or, if nothing of that is known, by the command that runs it.
func (r *reader) label(text string) []string {
	if strings.Trim(text, unknowns+globs+" \n") == "" && len(r.current) > 0 {
		return r.current
	}
	return []string{firstLine(text)}
}
