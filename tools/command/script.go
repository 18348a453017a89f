package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script checks every simple command of a script for a shell like sh.
func (k *checker) script(text string) {
	if len(text) > maxScript || openers(text) > maxOpeners {
		k.refuse(ruleBounds, []string{"the script"}, "it is too long or has too many brackets")
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "") // sh is a part of bash
	if err != nil && k.shell == "zsh" {
		file, err = syntax.NewParser(syntax.Variant(syntax.LangZsh)).Parse(strings.NewReader(text), "")
	}
	if err != nil {
		k.text(text, "the script cannot be parsed: "+clip(err.Error()))
		return
	}
	k.walk(file)
}

// openers counts the brackets that can nest: the parser calls itself for each.
func openers(text string) int {
	n := 0
	for _, c := range []byte(text) {
		switch c {
		case '(', '{', '`', '[', '!', '~', '-':
			n++
		}
	}
	for _, word := range []string{"if", "while", "until", "case", "for", "time", "function", "coproc", "<<"} {
		n += strings.Count(text, word)
	}
	return n
}

// walk checks a syntax tree in the order of its text. A cd in a subshell, a substitution or a function ends with it.
func (k *checker) walk(file *syntax.File) {
	var open []syntax.Node
	var dirs []string
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			if restoresDir(open[len(open)-1]) {
				k.dir, dirs = dirs[len(dirs)-1], dirs[:len(dirs)-1]
			}
			open = open[:len(open)-1]
			return true
		}
		if k.done() {
			return false
		}
		open = append(open, node)
		if restoresDir(node) {
			dirs = append(dirs, k.dir)
		}
		k.node(node)
		return true
	})
}

func restoresDir(node syntax.Node) bool {
	switch node.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
		return true
	}
	return false
}

func (k *checker) node(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.CallExpr:
		if len(node.Args) == 0 {
			return
		}
		argv := k.words(node.Args)
		k.simple(argv)
		if runsArguments(argv) && k.downloads(node) {
			k.refuse(ruleRemote, argv, "it runs downloaded text that the user has not seen")
		}
	case *syntax.Stmt:
		k.stdin(node)
	case *syntax.BinaryCmd:
		k.pipe(node)
	case *syntax.FuncDecl:
		k.function(node)
	case *syntax.Redirect:
		k.redirect(node)
	case *syntax.DeclClause:
		for _, arg := range node.Args {
			if arg.Naked && arg.Value != nil {
				k.unclear([]string{node.Variant.Value}, "which variables it sets is only known when it runs")
			}
		}
	case *syntax.Assign:
		if node.Name != nil {
			k.assign(node.Name.Value, node.Value != nil || node.Array != nil)
		}
	case *syntax.WordIter:
		k.assign(node.Name.Value, true)
	}
}

// assign records that a variable is set, to more than nothing if filled.
func (k *checker) assign(name string, filled bool) {
	k.variable(name)
	if k.assigned == nil {
		k.assigned = make(map[string]bool, 2)
	}
	k.assigned[name] = filled
}

// stdin checks the script that a shell reads from a here-document or a here-string.
func (k *checker) stdin(stmt *syntax.Stmt) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(stmt.Redirs) == 0 {
		return
	}
	argv := k.words(call.Args)
	if len(argv) == 0 || !readsProgram(argv) || !isShell(program(stripped(argv)[0])) {
		return
	}
	for _, redirect := range stmt.Redirs {
		text := redirect.Hdoc
		if redirect.Op == syntax.WordHdoc {
			text = redirect.Word
		}
		if text != nil {
			script := source(k.word(text))
			k.within(argv[0], func() { k.script(script) })
		}
	}
}

// redirect checks a file that is opened for writing.
func (k *checker) redirect(node *syntax.Redirect) {
	switch node.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.AppClob, syntax.RdrAllClob, syntax.DplOut:
		file := k.word(node.Word)
		k.write([]string{node.Op.String(), file}, file)
	}
}

// pipe refuses a shell or an interpreter that reads its program from a download.
func (k *checker) pipe(node *syntax.BinaryCmd) {
	if node.Op != syntax.Pipe && node.Op != syntax.PipeAll {
		return
	}
	call, ok := node.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	if argv := k.words(call.Args); readsProgram(argv) && k.downloads(node.X) {
		k.refuse(ruleRemote, argv, "it runs downloaded text that the user has not seen")
	}
}

// downloads reports whether a part of a script calls a program that prints its download.
func (k *checker) downloads(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			switch program(call.Args[0].Lit()) {
			case "curl", "wget":
				found = true
			}
		}
		return node != nil && !found && k.step()
	})
	return found
}

// function refuses a function that starts itself twice at once: a fork bomb.
func (k *checker) function(node *syntax.FuncDecl) {
	if node.Name == nil || node.Body == nil {
		return
	}
	isItself := func(stmt *syntax.Stmt) bool {
		call, ok := stmt.Cmd.(*syntax.CallExpr)
		return ok && len(call.Args) > 0 && call.Args[0].Lit() == node.Name.Value
	}
	calls, parallel := 0, false
	syntax.Walk(node.Body, func(inner syntax.Node) bool {
		switch inner := inner.(type) {
		case *syntax.BinaryCmd:
			parallel = parallel || inner.Op == syntax.Pipe && (isItself(inner.X) || isItself(inner.Y))
		case *syntax.Stmt:
			if isItself(inner) {
				calls++
				parallel = parallel || inner.Background
			}
		}
		return inner != nil && k.step()
	})
	if calls > 1 && parallel {
		k.refuse(ruleBomb, []string{node.Name.Value + "()"}, "it starts itself again and again")
	}
}
