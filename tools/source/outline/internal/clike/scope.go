package clike

import "github.com/dougu-go/dougu/tools/source"

// scopeKind is the kind of body that a scope is.
type scopeKind uint8

const (
	inFile  scopeKind = iota
	inBlock           // extern "C", a namespace without a name, a macro that stands for one
	inNamespace
	inType
	inEnum
	inLocal // one statement of a function that may declare a type
	inFunction
	inLambda
	inCode // a block of code that belongs to nothing known
)

// isCode reports whether a scope holds statements.
func (w scopeKind) isCode() bool { return w >= inFunction }

// scope is a pair of brackets that is open.
type scope struct {
	kind     scopeKind
	chunk    int    // in scanner.chunks, or -1
	name     string // the name of a type, which its constructors have
	open     int    // the offset of its bracket
	braces   int    // in code: the number of open brackets within
	column   bool   // the declaration begins in the first column
	first    int    // the offset of the declaration
	typedef  bool   // a typedef: the declarators are type names
	try      bool   // handlers of exceptions follow the body
	nameless bool   // a type without a name, which a typedef may give it
}

func (s *scanner) top() *scope { return &s.stack[len(s.stack)-1] }

// parent is the chunk that a declaration here belongs to, or -1.
func (s *scanner) parent() int32 {
	if top := s.top(); top.chunk >= 0 {
		return int32(top.chunk)
	}
	for i := len(s.stack) - 1; i > 0; i-- {
		if s.stack[i].chunk >= 0 {
			return int32(s.stack[i].chunk)
		}
	}
	return -1
}

// callable is the innermost chunk around that is called, or -1.
func (s *scanner) callable() int {
	for i := len(s.stack) - 1; i > 0; i-- {
		if n := s.stack[i].chunk; n >= 0 && s.chunks[n].Kind.IsCallable() {
			return n
		}
	}
	return -1
}

// inCode reports whether a declaration here is local to a function.
func (s *scanner) inCode() bool {
	for i := len(s.stack) - 1; i > 0; i-- {
		switch k := s.stack[i].kind; {
		case k == inType:
			return false
		case k.isCode():
			return true
		}
	}
	return false
}

func (s *scanner) push(sc scope) {
	if len(s.stack) > maxDepth {
		s.unsure(s.at, "the declarations lie too deep in each other")
		s.at = len(s.src)
		return
	}
	s.stack = append(s.stack, sc)
	s.reset()
}

// pop closes the scope whose last byte is before end.
func (s *scanner) pop(end int) {
	top := *s.top()
	s.stack = s.stack[:len(s.stack)-1]
	s.reset()
	if top.chunk >= 0 {
		s.chunks[top.chunk].End = int32(end)
	}
	if top.try {
		end = s.handlers(end)
		s.chunks[top.chunk].End, s.at = int32(end), end
	}
	s.stmt = end
	switch top.kind {
	case inType, inEnum:
		s.head = append(s.head, token{kind: curly, start: top.open, end: end})
		s.first = top.first
		s.bodyType = &top
	case inLambda:
		s.closeLambda(top.chunk, end)
	}
}

// reset begins a new declaration.
func (s *scanner) reset() {
	s.head = s.head[:0]
	s.init, s.colon, s.lists = false, false, 0
	s.bodyType = nil
}

// add adds a chunk and returns its index.
func (s *scanner) add(c source.Chunk) int {
	s.chunks = append(s.chunks, chunk{Chunk: c})
	return len(s.chunks) - 1
}
