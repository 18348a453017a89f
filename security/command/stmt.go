package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script parses a text and follows it. The same state goes on: eval and source work on their caller.
func (r *reader) script(text, in string) (out string) {
	out = unknown
	r.cost(text)
	text = strings.TrimSpace(text)
	switch {
	case text == "" || text == hook:
		return ""
	case strings.Contains(text, foreign):
		r.refuse(ruleRemote, r.label(text), "it runs text that was downloaded or decoded and that nobody has read")
		return out
	case !known(text):
		r.doubt(r.label(text), "the script that is run is computed, and not all of it is known")
	}
	r.deeper(func() {
		file, err := parse(source(text), r.shell)
		if err != nil {
			r.unparsed(text, err)
			return
		}
		out = r.statements(file.Stmts, in)
	})
	return out
}

// within follows a script that runs in a process of its own.
func (r *reader) within(text, in, by string) string {
	saved, args := r.save(), r.args
	r.through = append(r.through, by)
	out := r.script(text, in)
	r.through = r.through[:len(r.through)-1]
	r.vars, r.args = saved, args
	return out
}

// statements follows statements one after the other and gives what they would write.
func (r *reader) statements(stmts []*syntax.Stmt, in string) string {
	if len(stmts) == 1 {
		return r.statement(stmts[0], in)
	}
	var out strings.Builder
	for _, stmt := range stmts {
		if r.done() {
			break
		}
		text := r.statement(stmt, in)
		if out.Len()+len(text) > maxScript {
			return taint(text)
		}
		out.WriteString(text)
	}
	return out.String()
}

// statement follows one, with its redirections.
func (r *reader) statement(stmt *syntax.Stmt, in string) (out string) {
	r.deeper(func() {
		if stmt.Background || stmt.Coprocess || stmt.Disown {
			r.spawned++
			defer func() { r.spawned-- }()
		}
		var to []target
		if len(stmt.Redirs) > 0 {
			in, to = r.redirected(stmt, in)
		}
		if stmt.Cmd != nil {
			out = r.command(stmt.Cmd, in)
		} else {
			out = in // $(<file)
		}
		if len(to) > 0 {
			out = r.written(to, out)
		}
	})
	return out
}

func (r *reader) command(cmd syntax.Command, in string) string {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return r.callExpr(cmd, in)
	case *syntax.BinaryCmd:
		return r.binaryCmd(cmd, in)
	case *syntax.Block:
		return r.statements(cmd.Stmts, in)
	case *syntax.Subshell:
		saved := r.save()
		out := r.statements(cmd.Stmts, in)
		r.vars = saved
		return out
	case *syntax.IfClause:
		return r.ifClause(cmd, in)
	case *syntax.WhileClause:
		return r.whileClause(cmd, in)
	case *syntax.ForClause:
		return r.forClause(cmd, in)
	case *syntax.CaseClause:
		return r.caseClause(cmd, in)
	case *syntax.FuncDecl:
		r.declare(cmd)
	case *syntax.DeclClause:
		r.declaration(cmd)
	case *syntax.ArithmCmd:
		r.compute(cmd.X)
	case *syntax.LetClause:
		for _, x := range cmd.Exprs {
			r.compute(x)
		}
	case *syntax.TestClause:
		r.test(cmd.X)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return r.statement(cmd.Stmt, in)
		}
	case *syntax.CoprocClause:
		r.statement(cmd.Stmt, unknown)
	default:
		r.doubt([]string{"the script"}, "it has a construct that is not known")
	}
	return ""
}

func (r *reader) binaryCmd(cmd *syntax.BinaryCmd, in string) string {
	switch cmd.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.spawned++
		saved := r.save()
		between := r.statement(cmd.X, in)
		r.vars = saved
		saved = r.save()
		out := r.statement(cmd.Y, between)
		r.merge(saved)
		r.spawned--
		return out
	case syntax.OrStmt:
		out := r.statement(cmd.X, in)
		saved := r.save()
		other := r.statement(cmd.Y, in)
		if leaves(cmd.Y) {
			r.vars = saved
			return out
		}
		r.merge(saved)
		return out + other
	}
	return r.statement(cmd.X, in) + r.statement(cmd.Y, in)
}

// leaves reports whether nothing after a statement runs.
func leaves(stmt *syntax.Stmt) bool {
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		switch cmd.Args[0].Lit() {
		case "exit", "return", "break", "continue", "exec":
			return true
		}
	case *syntax.Block:
		return len(cmd.Stmts) > 0 && leaves(cmd.Stmts[len(cmd.Stmts)-1])
	case *syntax.BinaryCmd:
		return cmd.Op == syntax.AndStmt && leaves(cmd.Y)
	}
	return false
}

func (r *reader) ifClause(cmd *syntax.IfClause, in string) string {
	if len(cmd.Cond) == 0 { // else
		return r.statements(cmd.Then, in)
	}
	r.statements(cmd.Cond, in)
	before := r.save()
	out := r.statements(cmd.Then, in)
	after := r.vars
	if n := len(cmd.Then); n > 0 && leaves(cmd.Then[n-1]) {
		after = before
	}
	r.vars = before
	r.vars = r.save()
	if cmd.Else != nil && r.step() {
		out += r.ifClause(cmd.Else, in)
	}
	r.merge(after)
	return out
}

// whileClause follows the body as often as it takes to know what its variables can be.
func (r *reader) whileClause(cmd *syntax.WhileClause, in string) (out string) {
	if !cmd.Until && endless(cmd.Cond) && floods(cmd.Do) {
		r.refuse(ruleBomb, []string{"while"}, "it starts processes without end")
		return ""
	}
	return r.loop(func() string {
		return r.statements(cmd.Cond, in) + r.statements(cmd.Do, in)
	})
}

// loop follows a body that runs any number of times.
func (r *reader) loop(body func() string) (out string) {
	for range 3 {
		before := r.save()
		out = body()
		if r.done() || r.same(before) {
			return out
		}
		r.merge(before)
	}
	return out
}

// same reports whether no variable is other than it was.
func (r *reader) same(before map[string]variable) bool {
	for name, v := range r.vars {
		old, ok := before[name]
		if !ok || strings.Join(old.values, "\n") != strings.Join(v.values, "\n") || strings.Join(old.list, "\n") != strings.Join(v.list, "\n") {
			return false
		}
	}
	return true
}

func (r *reader) forClause(cmd *syntax.ForClause, in string) (out string) {
	iter, ok := cmd.Loop.(*syntax.WordIter)
	if !ok {
		if loop, ok := cmd.Loop.(*syntax.CStyleLoop); ok {
			r.compute(loop.Init)
			if (loop.Cond == nil || endlessArithm(loop.Cond)) && floods(cmd.Do) {
				r.refuse(ruleBomb, []string{"for"}, "it starts processes without end")
			}
			return r.loop(func() string {
				r.compute(loop.Cond)
				out := r.statements(cmd.Do, in)
				r.compute(loop.Post)
				return out
			})
		}
		return unknown
	}
	items := r.args
	if iter.InPos.IsValid() {
		lists := alternatives(r, func() []string { return r.words(iter.Items) })
		items = lists[0]
		for _, list := range lists[1:] {
			items = append(items, list...)
		}
	}
	before := r.save()
	if len(items) > 64 {
		items = append(items[:64:64], unknown)
	}
	for _, item := range items {
		if r.done() {
			break
		}
		r.set(iter.Name.Value, scalar(item))
		if out += r.statements(cmd.Do, in); len(out) > maxScript {
			out = taint(out)
		}
	}
	r.merge(before)
	return out
}

func (r *reader) caseClause(cmd *syntax.CaseClause, in string) (out string) {
	r.text(cmd.Word)
	before := r.save()
	after := before
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			r.text(pattern)
		}
		r.vars = before
		r.vars = r.save()
		out += r.statements(item.Stmts, in)
		if n := len(item.Stmts); n > 0 && leaves(item.Stmts[n-1]) {
			continue
		}
		r.merge(after)
		after = r.save()
	}
	r.vars = after
	return out
}

// test looks for substitutions in [[ … ]].
func (r *reader) test(x syntax.TestExpr) {
	r.deeper(func() {
		switch x := x.(type) {
		case *syntax.Word:
			r.text(x)
		case *syntax.UnaryTest:
			r.test(x.X)
		case *syntax.ParenTest:
			r.test(x.X)
		case *syntax.BinaryTest:
			r.test(x.X)
			r.test(x.Y)
		}
	})
}

// endless reports whether a condition is always true.
func endless(cond []*syntax.Stmt) bool {
	if len(cond) != 1 || cond[0].Negated {
		return false
	}
	switch cmd := cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		name := cmd.Args[0].Lit()
		return name == "true" || name == ":" || (name == "[" || name == "test") && len(cmd.Args) > 1 && cmd.Args[1].Lit() == "1"
	case *syntax.ArithmCmd:
		return endlessArithm(cmd.X)
	}
	return false
}

func endlessArithm(x syntax.ArithmExpr) bool {
	word, ok := x.(*syntax.Word)
	return ok && word.Lit() != "" && word.Lit() != "0" && strings.Trim(word.Lit(), "0123456789") == ""
}

// floods reports whether a body starts processes and never waits.
func floods(body []*syntax.Stmt) bool {
	background, waits := false, false
	for _, stmt := range body {
		syntax.Walk(stmt, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.Stmt:
				background = background || node.Background || node.Disown
			case *syntax.CallExpr:
				if len(node.Args) > 0 {
					switch node.Args[0].Lit() {
					case "wait", "sleep", "read", "break", "exit", "return", "inotifywait", "fg", "accept", "nc":
						waits = true
					}
				}
			}
			return true
		})
	}
	return background && !waits
}
