package daptest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// capabilities are the default capabilities.
const capabilities = `{"supportsConfigurationDoneRequest":true,"supportsFunctionBreakpoints":true,"supportsConditionalBreakpoints":true,` +
	`"supportsHitConditionalBreakpoints":true,"supportsLogPoints":true,"supportsExceptionInfoRequest":true,` +
	`"exceptionBreakpointFilters":[{"filter":"raised","label":"Raised"},{"filter":"uncaught","label":"Uncaught","default":true}]}`

// breakpoint is one that is asked for.
type breakpoint struct {
	Line int    `json:"line"`
	Name string `json:"name"`
}

// obey handles a request normally and reports whether the adapter continues.
func (a *adapter) obey(r request) bool {
	var args struct {
		Program     string                `json:"program"`
		StopOnEntry bool                  `json:"stopOnEntry"`
		Source      struct{ Path string } `json:"source"`
		Breakpoints []breakpoint          `json:"breakpoints"`
		Reference   int                   `json:"variablesReference"`
		Start       int                   `json:"start"`
		Count       int                   `json:"count"`
		Expression  string                `json:"expression"`
		Levels      int                   `json:"levels"`
		StartFrame  int                   `json:"startFrame"`
		ThreadID    int                   `json:"threadId"`
	}
	_ = json.Unmarshal(r.Arguments, &args)
	switch r.Command {
	case "initialize":
		offers := a.script.Capabilities
		if offers == nil {
			offers = json.RawMessage(capabilities)
		}
		a.answer(r, true, "", offers)
		if a.script.Early {
			a.event("initialized", nil)
		}
	case "launch", "attach":
		a.file, a.stops, a.launch = args.Program, args.StopOnEntry, r.Seq
		a.started()
		if !a.script.Early {
			a.event("initialized", nil)
		}
		if !a.script.Late {
			a.answer(r, true, "", nil)
		}
	case "setBreakpoints", "setFunctionBreakpoints":
		a.set(r, args.Breakpoints)
	case "configurationDone":
		a.answer(r, true, "", nil)
		if a.script.Late {
			a.answer(request{Seq: a.launch, Command: "launch"}, true, "", nil)
		}
		if a.stops {
			a.stop("entry")
			return true
		}
		a.line--
		a.run()
	case "continue":
		a.answer(r, true, "", map[string]any{"allThreadsContinued": true})
		a.run()
	case "next", "stepIn", "stepOut":
		a.answer(r, true, "", nil)
		a.event("continued", map[string]any{"threadId": 1})
		a.print()
		if a.line++; a.line > a.script.Lines {
			a.over()
		} else {
			a.stop("step")
		}
	case "pause":
		a.answer(r, true, "", nil)
		if a.moving {
			a.stop("pause")
		}
	case "threads":
		a.answer(r, true, "", map[string]any{"threads": []any{map[string]any{"id": 1, "name": "main"}, map[string]any{"id": 2, "name": "other"}}})
	case "stackTrace":
		a.stack(r, args.StartFrame, args.Levels)
	case "scopes":
		a.answer(r, true, "", map[string]any{"scopes": []any{
			map[string]any{"name": "Locals", "variablesReference": 10},
			map[string]any{"name": "Globals", "variablesReference": 20, "expensive": true},
		}})
	case "variables":
		a.answer(r, true, "", map[string]any{"variables": a.variables(args.Reference, args.Start, args.Count)})
	case "evaluate":
		a.answer(r, true, "", map[string]any{"result": "<" + args.Expression + ">", "type": "text", "variablesReference": 30})
	case "exceptionInfo":
		a.answer(r, true, "", map[string]any{"exceptionId": "Fault", "description": "it is broken", "breakMode": "always"})
	case "disconnect":
		a.answer(r, true, "", nil)
		return false
	default:
		a.answer(r, true, "", nil)
	}
	return true
}

// set stores the lines of breakpoints. Breakpoints of even lines move to the next line.
func (a *adapter) set(r request, all []breakpoint) {
	if r.Command == "setBreakpoints" {
		clear(a.points)
	}
	answers := []any{}
	for i, b := range all {
		answer := map[string]any{"id": 100*len(a.points) + i + 1, "verified": b.Line <= a.script.Lines, "line": b.Line}
		if b.Line > a.script.Lines {
			answer["message"] = "there is no such line"
		}
		if b.Line > 0 {
			a.points[b.Line] = true
		} else {
			a.points[1], answer["line"] = true, 1
		}
		answers = append(answers, answer)
	}
	a.answer(r, true, "", map[string]any{"breakpoints": answers})
}

// run goes on up to a breakpoint.
func (a *adapter) run() {
	a.moving = true
	if a.line > 0 {
		a.print()
	}
	for a.line++; a.line <= a.script.Lines; a.line++ {
		if a.points[a.line] {
			a.stop("breakpoint")
			return
		}
		a.print()
	}
	if a.script.Endless {
		a.line = a.script.Lines
		return
	}
	a.over()
}

func (a *adapter) print() {
	a.event("output", map[string]any{"category": "stdout", "output": fmt.Sprintf("line %d\n", a.line)})
}

func (a *adapter) stop(reason string) {
	a.moving = false
	a.event("stopped", map[string]any{"reason": reason, "threadId": 1, "allThreadsStopped": true})
}

func (a *adapter) over() {
	a.event("output", map[string]any{"category": "stderr", "output": "the end\n"})
	a.event("exited", map[string]any{"exitCode": a.script.Exit})
	a.event("terminated", nil)
}

// stack is that of a program which stands two calls deep.
func (a *adapter) stack(r request, start, levels int) {
	frames := []any{}
	for i := start; i < 3 && (levels == 0 || i < start+levels); i++ {
		frame := map[string]any{"id": 1000 + i, "name": fmt.Sprintf("f%d", i), "line": a.line, "column": 1, "source": map[string]any{"path": a.file}}
		if i == 2 {
			frame["source"] = map[string]any{"path": os.DevNull}
		}
		frames = append(frames, frame)
	}
	a.answer(r, true, "", map[string]any{"stackFrames": frames, "totalFrames": 3})
}

// variables are x, whose value is ten times the line, and a list of 1000; and all parts of that have parts.
func (a *adapter) variables(reference, start, count int) []any {
	if a.script.Swollen {
		all := make([]any, 3000)
		for i := range all {
			all[i] = map[string]any{"name": fmt.Sprint("v", i), "value": strings.Repeat("long ", 100), "variablesReference": 7}
		}
		return all
	}
	switch reference {
	case 10:
		return []any{
			map[string]any{"name": "x", "value": fmt.Sprint(10 * a.line), "type": "int", "variablesReference": 0},
			map[string]any{"name": "list", "value": "1000 parts", "type": "list", "variablesReference": 30, "indexedVariables": 1000},
			map[string]any{"name": "same", "value": "always", "type": "text", "variablesReference": 0},
		}
	case 20:
		return []any{map[string]any{"name": "g", "value": "global", "variablesReference": 0}}
	}
	if count == 0 {
		count = 1000
	}
	all := []any{}
	for i := start; i < 1000 && len(all) < count; i++ {
		all = append(all, map[string]any{"name": fmt.Sprint(i), "value": fmt.Sprintf("part %d", i), "variablesReference": 40 + i})
	}
	return all
}
