package command

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// rule is why a command is refused, as its message names it.
type rule string

const (
	ruleDelete  rule = "deletion"
	ruleWrite   rule = "protected file"
	ruleDevice  rule = "device"
	ruleSystem  rule = "system control"
	ruleBomb    rule = "fork bomb"
	ruleRemote  rule = "code from the network"
	ruleRights  rule = "rights and owners"
	ruleOutside rule = "outside the project"
	ruleDenied  rule = "denied commands"
	ruleAllowed rule = "allowed commands"
	ruleBounds  rule = "bounds"
)

// advice returns the alternative to a refused command.
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
	case ruleOutside:
		return "Run the command in a directory of the project."
	case ruleAllowed:
		return "Use one of the allowed commands, written plainly, or ask the user to run it or to allow it."
	case ruleBounds:
		return "Put it into a script file, or run it in several smaller commands."
	case ruleDevice, ruleSystem, ruleBomb, ruleDenied:
	}
	return "Do not try to get around the rule; ask the user to run the command if it is really needed."
}

// maxShown is how many bytes of a command a message repeats.
const maxShown = 160

// clip makes a command short and readable for a message.
func clip(text string) string {
	text = strings.ToValidUTF8(quoteText(text), "\uFFFD")
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}

// refuse records why the command must not run; the first reason counts.
func (k *checker) refuse(rule rule, argv []string, format string, args ...any) {
	if k.refusal != nil {
		return
	}
	where := ""
	if k.by != "" {
		where = fmt.Sprintf(" (run by %s)", clip(k.by))
	}
	k.refusal = &security.Error{
		Code:    security.CommandBlocked,
		Message: fmt.Sprintf("%q%s is refused: %s (rule: %s)", clip(strings.Join(argv, " ")), where, fmt.Sprintf(format, args...), rule),
		Next:    rule.advice(),
		Err:     fs.ErrPermission,
	}
}

// unclear refuses a command that cannot be compared with Policy.Allowed, if there is any pattern.
func (k *checker) unclear(argv []string, format string, args ...any) {
	if len(k.policy.Allowed) > 0 {
		k.refuse(ruleAllowed, argv, format, args...)
	}
}
