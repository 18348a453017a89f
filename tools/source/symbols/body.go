package symbols

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

// body is where the body of a declaration begins whose name has ended at a position; 0
// if it has none. lambda says that it is that of a function which a name is bound to.
func (r *reader) body(at, end int, kind source.Kind) (body int, lambda bool) {
	if kind == source.EnumCase || kind == source.TypeAlias || r.lang == source.Ruby {
		return 0, false
	}
	script := r.lang.Family() == source.TypeScript
	last := byte(0)
	for at < end {
		c := r.src[at]
		switch {
		case c == '{' && !(script && (last == ':' || last == '|' || last == '&')):
			if kind.IsValue() && r.requirement(at+1, end) || r.lang == source.Python {
				return 0, false
			}
			return at, false
		case c == ':' && r.lang == source.Python && !kind.IsValue():
			if first := r.skip(at+1, end); first < end {
				return first, false
			}
			return 0, false
		case bytes.HasPrefix(r.src[at:end], []byte("=>")) && (kind.IsCallable() || r.lang == source.CSharp):
			if next := r.skip(at+2, end); next < end && r.src[next] == '{' {
				return next, script
			}
			return at, script
		case c == '=' && at+1 < end && r.src[at+1] == '=':
			at += 2
			last = '='
			continue
		case c == '=' && kind.IsValue():
			if next := r.skip(at+1, end); r.lang == source.Swift && next < end && r.src[next] == '{' && r.skip(r.over(next, end), end) == end {
				return next, true
			}
			return 0, false
		case c == '=' && r.lang.Family() == source.Kotlin && kind.IsCallable():
			return at, false
		}
		next := r.over(at, end)
		if !isBlank(c) && r.comment(at, end) == at {
			last = c
		}
		at = next
	}
	return 0, false
}

// requirement reports whether the braces of a property only list required accessors, as in a
// protocol.
func (r *reader) requirement(at, end int) bool {
	inside, _, closed := bytes.Cut(r.src[at:end], []byte("}"))
	words := bytes.Fields(inside)
	for _, word := range words {
		switch string(word) {
		case "get", "set", "async", "throws", "mutating", "nonmutating":
		default:
			return false
		}
	}
	return closed && len(words) > 0 && r.lang == source.Swift
}
