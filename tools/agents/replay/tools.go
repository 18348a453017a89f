package replay

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

// tool reports whether the step is a tool call.
func (s *step) tool() bool {
	return s.Read+s.Create+s.Edit+s.Delete+s.Shell+s.Grep != "" || s.Todo != nil || s.Report != nil
}

// tool replays a tool call.
func (p *player) tool(s step) {
	p.serial++
	id := fmt.Sprintf("toolu_%08d\nfc_%s", p.serial, uuid()[:8])
	kind, args, run := p.prepare(s)
	step := uuid() + "-1"
	print := func(subtype string, call object) {
		p.print(p.stamped(object{"type": "tool_call", "subtype": subtype, "call_id": id, "tool_call": object{kind: call}, "model_call_id": step}))
	}
	print("started", object{"args": args})
	time.Sleep(p.pace(time.Duration(s.Takes) * time.Millisecond))
	print("completed", object{"args": args, "result": run()})
}

// prepare returns the kind and the arguments of a call, and a function that produces its result.
func (p *player) prepare(s step) (kind string, args object, run func() object) {
	switch {
	case s.Read != "":
		return "readToolCall", object{"path": p.path(s.Read)}, func() object { return p.read(s.Read) }
	case s.Create != "":
		return "editToolCall", object{"path": p.path(s.Create), "streamContent": s.Text}, func() object { return p.change(s.Create, func(string) string { return s.Text }) }
	case s.Edit != "":
		return "editToolCall", object{"path": p.path(s.Edit), "strReplace": object{"oldText": s.Old, "newText": s.New, "replaceAll": false}},
			func() object { return p.change(s.Edit, s.replace) }
	case s.Delete != "":
		return "deleteToolCall", object{"path": p.path(s.Delete)}, func() object { return p.delete(s.Delete) }
	case s.Shell != "":
		return "shellToolCall", object{"command": s.Shell, "workingDirectory": p.cwd, "timeout": 30000, "simpleCommands": strings.Fields(s.Shell)[:1], "isBackground": false},
			func() object { return p.shell(s) }
	case s.Grep != "":
		return "grepToolCall", object{"pattern": s.Grep, "path": p.cwd}, func() object { return object{"success": object{"pattern": s.Grep, "totalMatches": s.Code}} }
	case s.Report != nil:
		return p.report(s.Report)
	}
	var todos []object
	for i, text := range s.Todo {
		todos = append(todos, object{"id": fmt.Sprint(i + 1), "content": text, "status": "TODO_STATUS_PENDING"})
	}
	return "updateTodosToolCall", object{"todos": todos, "merge": false}, func() object { return object{"success": object{"todos": todos, "totalCount": len(todos)}} }
}

// readOnly reports whether changes are forbidden.
func (p *player) readOnly() bool { return p.mode != "" }

func rejected(reason string) object { return object{"rejected": object{"reason": reason}} }

func failed(err error) object { return object{"error": object{"errorMessage": err.Error()}} }

func (p *player) read(name string) object {
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		return failed(err)
	}
	lines := bytes.Count(data, []byte{'\n'}) + 1
	return object{"success": object{
		"content": string(data), "isEmpty": len(data) == 0, "exceededLimit": false, "totalLines": lines, "totalChars": len(data), "path": p.path(name),
		"readRange": object{"startLine": 1, "endLine": lines},
	}}
}

// replace replaces the old text by the new one, or appends the new one if the old one is missing.
func (s *step) replace(text string) string {
	if s.Old == "" || !strings.Contains(text, s.Old) {
		return text + s.New
	}
	return strings.Replace(text, s.Old, s.New, 1)
}

// change changes or creates a file.
func (p *player) change(name string, text func(before string) string) object {
	if p.readOnly() || !p.force {
		return rejected("Files cannot be changed in this mode")
	}
	file := p.path(name)
	data, err := os.ReadFile(file)
	fresh := os.IsNotExist(err)
	if err != nil && !fresh {
		return failed(err)
	}
	before, after := string(data), text(string(data))
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = os.WriteFile(file, []byte(after), 0o644)
	}
	if err != nil {
		return failed(err)
	}
	from := "a/" + filepath.ToSlash(name)
	if fresh {
		from = "/dev/null"
	}
	diff := textdiff.Unified(from, "b/"+filepath.ToSlash(name), before, after, textdiff.Options{})
	result := object{
		"path": file, "diffString": diff, "afterFullFileContent": after, "message": "The file was changed.",
		"linesAdded": strings.Count(diff, "\n+") - 1, "linesRemoved": strings.Count(diff, "\n-"),
	}
	if !fresh {
		result["beforeFullFileContent"] = before
	}
	return object{"success": result}
}

func (p *player) delete(name string) object {
	if p.readOnly() || !p.force {
		return rejected("Files cannot be deleted in this mode")
	}
	if err := os.Remove(p.path(name)); err != nil {
		return failed(err)
	}
	return object{"success": object{"path": p.path(name), "deletedFile": filepath.Base(name)}}
}

// shell returns the recorded result of a command.
func (p *player) shell(s step) object {
	if p.readOnly() {
		return rejected("Commands cannot be run in this mode")
	}
	result := object{"command": s.Shell, "exitCode": s.Code, "signal": "", "stdout": s.Text, "stderr": "", "executionTime": s.Takes, "interleavedOutput": s.Text}
	if s.Code == 0 {
		return object{"success": result, "isBackground": false}
	}
	result["stdout"], result["stderr"] = "", s.Text
	return object{"failure": result, "isBackground": false}
}

// huge prints the end of an edit in a line of at least size bytes.
func (p *player) huge(size int) {
	p.serial++
	file := p.path("huge.txt")
	line := strings.Repeat("0123456789 abcdefghijklmnopqrstuvwxyz \"quoted\"\n", 1+size/100)
	p.print(p.stamped(object{"type": "tool_call", "subtype": "completed", "call_id": fmt.Sprintf("toolu_%08d", p.serial), "tool_call": object{"editToolCall": object{
		"args": object{"path": file},
		"result": object{"success": object{"path": file, "linesAdded": 1, "linesRemoved": 1, "beforeFullFileContent": line, "afterFullFileContent": line,
			"diffString": "--- a/huge.txt\n+++ b/huge.txt\n@@ -1 +1 @@\n-old\n+new\n"}},
	}}}))
}
