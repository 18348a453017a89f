package plain

import "github.com/dougu-go/dougu/tools/source"

// protobuf reads statements up to token end: those of a file, or of the body of the chunk parent
// (Protocol Buffers Language Specification, proto2, proto3 and editions).
func (r *reader) protobuf(end, parent, depth int) {
	if depth > maxDepth {
		r.at = end
		return
	}
	in := source.Invalid
	if parent >= 0 {
		in = r.out.Chunk(parent).Kind
	}
	for r.at < end {
		from := r.at
		body, last := r.protobufStatement(from, end)
		switch keyword := r.text(from); {
		case keyword == "import" && body < 0:
			path := from + 1
			if r.is(path, "public") || r.is(path, "weak") || r.is(path, "option") {
				path++
			}
			if path < last && r.tokens[path].kind == text {
				r.out.Import(trimQuotes(r.text(path)), int(r.tokens[path].start))
			}
		case keyword == "package" && body < 0 && r.isWord(from+1):
			r.add(source.Module, from, from+1, -1, last, parent)
		case keyword == "oneof" && body >= 0 && r.isWord(from+1):
			r.protobufBody(body, parent, depth)
		case body >= 0 && r.isWord(from+1) && protobufKind(keyword) != source.Invalid:
			r.protobufBody(body, r.add(protobufKind(keyword), from, from+1, body, last, parent), depth)
		case body >= 0 && isProtobufLabel(keyword) && r.is(from+1, "group") && r.isWord(from+2):
			r.protobufBody(body, r.add(source.Struct, from, from+2, body, last, parent), depth)
		case keyword == "rpc" && r.isWord(from+1):
			r.add(source.Method, from, from+1, body, last, parent)
		case keyword == "option" || keyword == "reserved" || keyword == "extensions" || keyword == "syntax" || keyword == "edition":
		case in == source.Enum || in == source.Struct || in == source.Extension:
			r.protobufField(from, last, parent, in)
		}
		r.at = last + 1
	}
}

// protobufKind returns the kind of the declarations of a keyword with a body.
func protobufKind(keyword string) source.Kind {
	switch keyword {
	case "message", "group":
		return source.Struct
	case "enum":
		return source.Enum
	case "service":
		return source.Interface
	case "extend":
		return source.Extension
	}
	return source.Invalid
}

// isProtobufLabel reports whether a word is the label of a field.
func isProtobufLabel(word string) bool {
	return word == "optional" || word == "required" || word == "repeated"
}

// protobufStatement returns the opening bracket of the body of a statement, or -1, and its last token: the semicolon or the closing bracket.
func (r *reader) protobufStatement(from, end int) (body, last int) {
	for i := from; i < end; i = r.past(i) {
		switch {
		case r.is(i, ";"):
			return -1, i
		case r.is(i, "{"):
			if last := r.past(i) - 1; last > i && last < end {
				return i, last
			}
			return i, end - 1
		}
	}
	return -1, end - 1
}

// protobufBody reads the statements of a body.
func (r *reader) protobufBody(body, parent, depth int) {
	r.at = body + 1
	end := len(r.tokens)
	if partner := int(r.tokens[body].partner); partner > body {
		end = partner
	}
	r.protobuf(end, parent, depth+1)
}

// protobufField adds a field, "repeated string name = 1;", or a value of an enumeration, "NAME = 0;": its name precedes the "=".
func (r *reader) protobufField(from, last, parent int, in source.Kind) {
	for i := from + 1; i <= last; i++ {
		if !r.is(i, "=") || !r.isWord(i-1) {
			continue
		}
		kind := source.Property
		if in == source.Enum {
			kind = source.EnumCase
		} else if i-1 == from {
			return
		}
		r.add(kind, from, i-1, -1, last, parent)
		return
	}
}
