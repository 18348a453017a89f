package editor

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/terminal"
)

// strictDocument has the interfaces of the tools in the editor specification.
//
//go:embed strict.json
var strictDocument []byte

// processTools are the tools beside the specification in its profile: execute_command of the specification returns a
// processId, which no tool of the specification takes.
func processTools() []string { return []string{"read_process_output", "kill_process"} }

// strictInterface returns the interfaces of the tools in the specification, with its names of result members.
func strictInterface() (strict.Interface, error) {
	own, err := strict.Parse(strictDocument)
	if err != nil {
		return nil, err
	}
	for name, result := range map[string]func(args, result strict.Object){
		"read_file":       func(_, result strict.Object) { result.Copy("truncated", "isTruncated") },
		"format_document": func(_, result strict.Object) { result["success"] = json.RawMessage("true") },
		"get_quick_fixes": quickFixes,
	} {
		tool := own[name]
		tool.Result = result
		own[name] = tool
	}
	return own, nil
}

// quickFixes changes a result of get_quick_fixes to that of the specification: quickFixes with id, edits and diagnostic.
func quickFixes(args, result strict.Object) {
	var fixes []strict.Object
	if json.Unmarshal(result["fixes"], &fixes) != nil {
		return
	}
	for _, fix := range fixes {
		fix.Rename("fixId", "id")
		fix["diagnostic"] = args["diagnostic"]
		if fix["edits"] == nil {
			fix["edits"] = json.RawMessage("[]")
		}
		if description := fixDescription(fix); description != "" {
			fix["description"], _ = json.Marshal(description)
		}
	}
	if changed, err := json.Marshal(fixes); err == nil {
		delete(result, "fixes")
		result["quickFixes"] = changed
	}
}

// fixDescription returns the kind of a fix and whether the language server recommends it, for example "quickfix, preferred". It
// returns "" if neither is known.
func fixDescription(fix strict.Object) string {
	var words []string
	var kind string
	if json.Unmarshal(fix["kind"], &kind) == nil && kind != "" {
		words = append(words, kind)
	}
	if string(fix["preferred"]) == "true" {
		words = append(words, "preferred")
	}
	return strings.Join(words, ", ")
}

// strictCode returns the error code of the specification for a code of the tools.
func strictCode(code string) string {
	switch code {
	case "INVALID_PARAMS", "FILE_NOT_FOUND", "PERMISSION_DENIED", "COMMAND_BLOCKED", "TIMEOUT", "INTERNAL_ERROR":
		return code
	case "CONFIRMATION_REQUIRED", "DECLINED", "DESTRUCTIVE_NOT_ALLOWED", "OUTSIDE_PROJECT", "PERMISSION_REQUIRED", "READ_ONLY", "SECRETS_FOUND":
		return "PERMISSION_DENIED"
	}
	if errorclass.ByCaller(code) {
		return "INVALID_PARAMS"
	}
	return "INTERNAL_ERROR"
}

// strictPolicy also refuses the commands that the specification lists, by the text of the command line.
type strictPolicy struct {
	terminal.Checker
	refused []*regexp.Regexp
}

// newStrictPolicy returns a policy with the patterns of section 6.2.1 of the specification.
func newStrictPolicy(policy terminal.Checker) strictPolicy {
	p := strictPolicy{Checker: policy}
	for _, pattern := range []string{
		`rm\s+-rf\s+/`, `(?i)format\s+[a-z]:`, `del\s+/[fFsS]\s+/[qQ]`, `mkfs`, `dd\s+if=`, `:\(\)\{:\|:&\};:`, `sudo\s+rm`, `>/dev/sd[a-z]`,
	} {
		p.refused = append(p.refused, regexp.MustCompile(pattern))
	}
	return p
}

// Check implements terminal.Checker.
func (p strictPolicy) Check(c command.Command) error {
	if err := p.Checker.Check(c); err != nil {
		return err
	}
	line := c.Script + strings.Join(c.Args, " ")
	for _, pattern := range p.refused {
		if pattern.MatchString(line) {
			return &security.Error{Code: security.CommandBlocked, Message: "Dangerous command detected: " + line, Next: "Use a command that does less, or ask the user to run it."}
		}
	}
	return nil
}
