package debug

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	protocol "github.com/google/go-dap"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Variable is a variable, or a part of one.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Type  string `json:"type,omitempty"`
	// Ref names a value that has parts to debug_variables, until the program goes on.
	Ref string `json:"ref,omitempty"`
	// Parts is how many it has, if the debugger says that.
	Parts int `json:"parts,omitempty"`
	// Variables are its parts, as far as they were asked for.
	Variables []Variable `json:"variables,omitempty"`
	// Note reports missing parts.
	Note string `json:"note,omitempty"`
}

const (
	maxChanged  = 30  // variables in a State
	usualValue  = 200 // bytes of a value
	maxValue    = 16 << 10
	maxRecalled = 64  // most functions whose variables are kept
	maxCompared = 100 // variables of a function that are compared
)

// memory are the values of variables when the program last stopped in a function.
type memory map[string]map[string]string

// reader reads variables within bounds.
type reader struct {
	client *dap.Session
	epoch  int
	value  int // bytes of a value
	left   int // variables that may still be read
	asks   int // requests that may still be made
}

// reference names a variable's parts to other calls.
func reference(epoch, ref int) string {
	if ref <= 0 {
		return ""
	}
	return strconv.Itoa(epoch) + "." + strconv.Itoa(ref)
}

// dereference returns the variable reference of a text if it is still valid.
func dereference(text string, epoch int) (int, error) {
	at, rest, ok := strings.Cut(text, ".")
	stop, err := strconv.Atoi(at)
	ref, bad := strconv.Atoi(rest)
	switch {
	case !ok || err != nil || bad != nil || ref <= 0:
		return 0, invalid("Give a ref that debug_variables, debug_evaluate or debug_step has answered.", "%s is no reference", quote(text))
	case stop != epoch:
		return 0, problem(codeStaleReference, "Call debug_variables without ref for the variables as they are now.", "the program has gone on since %s was answered", quote(text))
	}
	return ref, nil
}

// list reads parts of a value, from start on.
func (r *reader) list(ctx context.Context, ref, start, count, indexed int) ([]protocol.Variable, bool, error) {
	count = min(count, r.left)
	if r.asks--; r.asks < 0 || count <= 0 {
		return nil, true, nil
	}
	args := protocol.VariablesArguments{VariablesReference: ref}
	paged := indexed > 0
	if paged {
		args.Filter, args.Start, args.Count = "indexed", start, count+1
	}
	var answer protocol.VariablesResponseBody
	if err := r.client.Call(ctx, "variables", args, &answer); err != nil {
		return nil, false, failed("reading variables", err)
	}
	all := answer.Variables
	if !paged || len(all) > count+1 && indexed == len(all) { // one that knows no paging answers all
		all = all[min(start, len(all)):]
	}
	more := len(all) > count
	return all[:min(len(all), count)], more, nil
}

// read reads parts of a value, and their parts down to a depth.
func (r *reader) read(ctx context.Context, ref, start, count, depth, indexed int) (read []Variable, more bool, err error) {
	all, more, err := r.list(ctx, ref, start, count, indexed)
	if err != nil {
		return nil, false, err
	}
	r.left -= len(all)
	for _, v := range all {
		read = append(read, r.toVariable(v))
	}
	if depth <= 1 {
		return read, more, nil
	}
	for i, v := range all {
		if v.VariablesReference <= 0 {
			continue
		}
		parts, cut, err := r.read(ctx, v.VariablesReference, 0, count, depth-1, v.IndexedVariables)
		if err != nil {
			read[i].Note = plain(err)
			continue
		}
		read[i].Variables = parts
		if cut {
			read[i].Note = "it has more parts: call again with its ref"
		}
	}
	return read, more, nil
}

// toVariable is a variable as it is answered.
func (r *reader) toVariable(v protocol.Variable) Variable {
	return Variable{
		Name: truncate.Cut(v.Name, maxName), Value: truncate.Cut(v.Value, r.value), Type: truncate.Cut(v.Type, maxName),
		Ref: reference(r.epoch, v.VariablesReference), Parts: v.IndexedVariables + v.NamedVariables,
	}
}

// scopes returns the scopes of a frame.
func (s *session) scopes(ctx context.Context, client *dap.Session, frame int) ([]protocol.Scope, error) {
	var answer protocol.ScopesResponseBody
	if err := client.Call(ctx, "scopes", map[string]int{"frameId": frame}, &answer); err != nil {
		return nil, failed("reading the variables", err)
	}
	return answer.Scopes[:min(len(answer.Scopes), maxScopes)], nil
}

// changes fills in the variables of the innermost frame that have changed.
func (s *session) changes(ctx context.Context, client *dap.Session, frame protocol.StackFrame, at position, r *State) {
	scopes, err := s.scopes(ctx, client, frame.Id)
	if err != nil {
		r.Notes = append(r.Notes, "variables cannot be read: "+plain(err))
		return
	}
	key := frame.Name
	if frame.Source != nil {
		key += "\x00" + frame.Source.Path
	}
	s.mu.Lock()
	before := s.seen[key]
	s.mu.Unlock()
	now := make(map[string]string)
	read := &reader{client: client, epoch: at.epoch, value: usualValue, left: maxCompared, asks: maxScopes}
	for _, scope := range scopes {
		if scope.Expensive || scope.PresentationHint == "registers" || strings.HasPrefix(scope.Name, "Global") {
			continue
		}
		all, _, err := read.list(ctx, scope.VariablesReference, 0, maxCompared, 0)
		if err != nil {
			r.Notes = append(r.Notes, "variables cannot be read: "+plain(err))
			return
		}
		read.left -= len(all)
		for _, v := range all {
			now[v.Name] = v.Value
			if was, known := before[v.Name]; known && was == v.Value {
				continue
			}
			if len(r.Changed) == maxChanged {
				r.Notes = append(r.Notes, "more variables have changed: see debug_variables")
				break
			}
			r.Changed = append(r.Changed, read.toVariable(v))
		}
	}
	s.recall(key, now)
}

// recall remembers the variables of a function.
func (s *session) recall(key string, now map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil || len(s.seen) >= maxRecalled && s.seen[key] == nil {
		s.seen = make(memory)
	}
	for name, value := range now {
		if len(value) > maxValue {
			now[name] = value[:maxValue]
		}
	}
	s.seen[key] = now
}

// writeVariables writes variables for a model.
func writeVariables(b *strings.Builder, all []Variable, depth int) {
	for _, v := range all {
		b.WriteString(strings.Repeat("  ", depth) + v.Name)
		if v.Type != "" {
			b.WriteString(" (" + v.Type + ")")
		}
		b.WriteString(" = " + v.Value)
		switch {
		case v.Ref != "" && v.Parts > 0:
			fmt.Fprintf(b, "  [ref %s, %s]", v.Ref, plural.Count(v.Parts, "part"))
		case v.Ref != "":
			fmt.Fprintf(b, "  [ref %s]", v.Ref)
		}
		if v.Note != "" {
			b.WriteString("  [" + v.Note + "]")
		}
		b.WriteByte('\n')
		writeVariables(b, v.Variables, depth+1)
	}
}
