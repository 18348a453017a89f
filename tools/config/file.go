package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"
)

// File is the layer of a file's content, as Read gave it, under the name that
// people know it by. A file that does not exist is an empty layer. One that is not
// in its format is not used at all.
func (t *Table[C]) File(name string, data []byte, err error, decode Decode) Layer[C] {
	var l Layer[C]
	problem := func(p Problem) { p.Source = name; l.problems.add(&p) }
	const unused = "nothing in the file is used"
	if errors.Is(err, fs.ErrNotExist) {
		return l
	}
	l.unusable = true
	if err != nil {
		problem(Problem{Message: fmt.Sprintf("it cannot be read: %v", err), Unusable: true, Consequence: unused})
		return l
	}
	if rest, marked := bytes.CutPrefix(data, []byte("\xEF\xBB\xBF")); marked {
		data = rest
		problem(Problem{Position: Position{1, 1}, Message: "the file begins with a byte-order mark, which does not belong there", Consequence: "it is skipped"})
	}
	if at, message := notUTF8(data); message != "" {
		problem(Problem{Position: at, Message: message, Unusable: true, Consequence: unused})
		return l
	}
	root, err := decode(data)
	if err != nil {
		p := Problem{Message: err.Error(), Unusable: true, Consequence: unused}
		if syntax, ok := errors.AsType[*SyntaxError](err); ok {
			p.Position, p.Message = syntax.Position, syntax.Message
		}
		problem(p)
		return l
	}
	l.unusable = root.Kind != Object
	w := fileWalk[C]{table: t, layer: &l, name: name}
	w.section("", root, "")
	return l
}

// notUTF8 says where and how a text is not UTF-8.
func notUTF8(data []byte) (Position, string) {
	if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
		return Position{1, 1}, "the file is UTF-16; save it as UTF-8"
	}
	if utf8.Valid(data) {
		return Position{}, ""
	}
	at := Position{1, 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if at.Column++; r == '\n' {
			at = Position{at.Line + 1, 1}
		}
		data = data[size:]
	}
	return at, "the file is not UTF-8 from here on"
}

// fileWalk goes through the sections of a file.
type fileWalk[C any] struct {
	table *Table[C]
	layer *Layer[C]
	name  string
}

func (w *fileWalk[C]) problem(at Position, key, received, message, consequence string) {
	w.layer.problems.add(&Problem{Source: w.name, Position: at, Key: key, Received: received, Message: message, Consequence: consequence})
}

// section reads a section. spoiled is the problem of everything in it, or "".
func (w *fileWalk[C]) section(path string, n Node, spoiled string) {
	if n.Kind != Object {
		w.problem(n.Position, path, n.received(w.table.mask(path)), "allowed is an object", "nothing in it is used")
		w.layer.misread = true
		return
	}
	seen := make(map[string]int, len(n.Members))
	for _, m := range n.Members {
		seen[m.Name]++
	}
	count := make(map[string]int, len(n.Members))
	for _, m := range n.Members {
		at, fault := join(path, m.Name), spoiled
		if count[m.Name]++; count[m.Name] > 1 && w.table.byPath[at] == nil {
			w.problem(m.Position, shorten(at), "", "the name occurs again here", "nothing in it is used")
		}
		if seen[m.Name] > 1 {
			fault = "it is there more than once"
		}
		w.member(path, at, m, fault)
	}
}

func (w *fileWalk[C]) member(section, path string, m Member, fault string) {
	known := slices.Contains(w.table.below[section], m.Name)
	switch k := w.table.byPath[path]; {
	case known && k != nil:
		w.layer.entries = append(w.layer.entries, entry[C]{key: k, source: w.name, node: m.Value, fault: fault})
	case known:
		w.section(path, m.Value, fault)
	case path == schemaMember:
	default:
		w.unknown(section, path, m)
	}
}

func (w *fileWalk[C]) unknown(section, path string, m Member) {
	message := "there is no such setting"
	if !w.layer.problems.full() {
		if near := w.table.meant(section, m.Name); near != "" {
			message += fmt.Sprintf("; did you mean %q?", near)
		}
	}
	w.problem(m.Position, shorten(path), "", message, "it is left out")
	w.layer.misread = true
}
