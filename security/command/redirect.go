package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// target is a file that a redirection writes.
type target struct {
	path   string
	append bool
}

// redirected follows the redirections of a statement: what it reads then, and where its output goes.
func (r *reader) redirected(stmt *syntax.Stmt, in string) (string, []target) {
	var to []target
	for _, redirect := range stmt.Redirs {
		if redirect.Hdoc != nil {
			in = r.allText(redirect.Hdoc)
			if quotedDelimiter(redirect.Word) {
				in = verbatim(redirect.Hdoc)
			}
			continue
		}
		if redirect.Op == syntax.WordHdoc {
			in = r.allText(redirect.Word) + "\n"
			continue
		}
		for _, paths := range alternatives(r, func() []string { return r.words([]*syntax.Word{redirect.Word}) }) {
			path := strings.Join(paths, " ")
			switch redirect.Op {
			case syntax.RdrIn:
				in = r.content(path)
			case syntax.DplIn:
				in = unknown
			case syntax.DplOut:
				if _, err := strconv.Atoi(strings.TrimSuffix(path, "-")); err == nil || path == "-" || path == inner {
					continue
				}
				fallthrough
			default:
				if r.opened(stmt, path) && (redirect.N == nil || redirect.N.Value == "1") {
					to = append(to, target{path, redirect.Op == syntax.AppOut || redirect.Op == syntax.AppAll})
				}
			}
		}
	}
	return in, to
}

// quotedDelimiter reports whether nothing is expanded in a here-document.
func quotedDelimiter(word *syntax.Word) bool {
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// verbatim is the text of a here-document whose delimiter is quoted.
func verbatim(word *syntax.Word) string {
	var out strings.Builder
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			out.WriteString(lit.Value)
		}
	}
	return out.String()
}

// opened checks a file that is written, and reports whether it is one.
func (r *reader) opened(stmt *syntax.Stmt, path string) bool {
	argv := []string{">", path}
	if strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/") {
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && isShell(program(call.Args[0].Lit())) {
			r.refuse(ruleRemote, argv, "it gives a shell to the network")
		}
		return false
	}
	r.write(argv, path)
	return true
}

// content is what a file has, as far as this script wrote it.
func (r *reader) content(path string) string {
	if strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/") {
		return foreign
	}
	if abs, ok := r.absolute(path); ok {
		if texts := r.files[abs]; len(texts) > 0 {
			return strings.Join(texts, "\n")
		}
	}
	return unknown
}

// written remembers output that goes to files.
func (r *reader) written(to []target, out string) string {
	for _, file := range to {
		r.remember(file.path, out, file.append)
	}
	return ""
}

// remember is what the script wrote into a file. Everything that was ever written stays: which of it counts when the file runs
// depends on the way that the script took.
func (r *reader) remember(path, text string, more bool) {
	abs, ok := r.absolute(path)
	if !ok || abs == "/dev/null" {
		return
	}
	if r.files == nil {
		r.files = make(map[string][]string, 2)
	}
	before := r.files[abs]
	if more && len(before) > 0 {
		text = before[len(before)-1] + text
	}
	if len(text) > maxScript || len(before) >= maxAlternatives {
		text = taint(text + strings.Join(before, ""))
		before = nil
	}
	r.files[abs] = append(before, text)
}

// processFile is the name of the file that <(…) or >(…) becomes.
func (r *reader) processFile(p *syntax.ProcSubst) string {
	path := "/dev/fd/" + strconv.Itoa(1000+r.steps)
	r.deeper(func() {
		saved := r.save()
		out := r.statements(p.Stmts, unknown)
		r.vars = saved
		if p.Op != syntax.CmdOut {
			r.remember(path, out, false)
		}
	})
	return path
}
