package index

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/tools/source"
)

// jsonVersion is the version of the format of AppendJSON.
const jsonVersion = 4

// AppendJSON appends the file as one line of JSON with a final newline, the format of
// the log of a JSONStore.
//
// Some members are omitted. A missing position equals the previous one in the order
// start, decl, sig, ident. A missing line equals the previous one in the order
// startLine, line, identLine, endLine. A missing container is the path of the parent.
// Missing body, doc and docEnd mean that the chunk has none.
//
// AppendJSON returns the errors of Parsed but does not read the source file again.
func (f *File) AppendJSON(b []byte) ([]byte, error) {
	parsed, err := f.load()
	if err != nil {
		return b, err
	}
	b = jsonx.AppendQuoted(append(b, lineHead...), f.Path)
	b = jsonText(b, ",\"language\":", string(f.Language))
	b = jsonText(b, ",\"parser\":", f.Parser)
	b = append(b, ",\"sha256\":\""...)
	b = hex.AppendEncode(b, f.Hash[:])
	b = jsonNumber(b, "\",\"size\":", f.Size)
	b = jsonNumber(b, ",\"textSize\":", f.textSize)
	b = f.ModTime.UTC().AppendFormat(append(b, ",\"modified\":\""...), time.RFC3339Nano)
	b = time.Unix(0, f.read).UTC().AppendFormat(append(b, "\",\"read\":\""...), time.RFC3339Nano)
	b = strconv.AppendUint(append(b, "\",\"fingerprint\":\""...), f.fingerprint, 16)
	b = jsonText(b, "\",\"start\":", f.start)
	b = appendJSONChunks(append(b, ",\"chunks\":["...), parsed.Chunks)
	b = append(b, ']')
	b = jsonList(b, "imports", parsed.Imports, func(b []byte, m source.Import) []byte {
		return jsonNumber(jsonText(b, `{"path":`, m.Path), `,"line":`, int64(m.Line))
	})
	b = jsonList(b, "calls", parsed.Calls, func(b []byte, c source.Call) []byte {
		return jsonNumber(jsonNumber(jsonText(b, `{"name":`, c.Name), `,"line":`, int64(c.Line)), `,"chunk":`, int64(c.Chunk))
	})
	b = jsonList(b, "problems", f.Problems, func(b []byte, p source.Problem) []byte {
		return jsonText(jsonNumber(b, `{"line":`, int64(p.Line)), `,"message":`, p.Message)
	})
	return append(b, "}\n"...), nil
}

func jsonText(b []byte, name, text string) []byte {
	return jsonx.AppendQuoted(append(b, name...), text)
}

func jsonNumber(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

// jsonList appends a member with a list, or nothing for an empty list.
func jsonList[T any](b []byte, name string, all []T, one func([]byte, T) []byte) []byte {
	for i, v := range all {
		switch i {
		case 0:
			b = append(append(append(b, ",\""...), name...), "\":["...)
		default:
			b = append(b, ',')
		}
		b = append(one(b, v), '}')
	}
	if len(all) > 0 {
		b = append(b, ']')
	}
	return b
}

func appendJSONChunks(b []byte, chunks []source.Chunk) []byte {
	for i := range chunks {
		c := &chunks[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, "{\"kind\":\""...), c.Kind.String()...)
		b = jsonText(b, "\",\"name\":", c.Name)
		if c.Labels != "" {
			b = jsonText(b, `,"labels":`, c.Labels)
		}
		if !isParentPath(chunks, c.Parent, c.Container) {
			b = jsonText(b, `,"container":`, c.Container)
		}
		b = jsonText(b, `,"signature":`, c.Signature)
		b = appendJSONPlace(b, c)
		b = append(b, '}')
	}
	return b
}

// maxParentPath is the length in bytes above which a container is always written. It
// prevents small JSON from expanding into much memory.
const maxParentPath = 256

// isParentPath reports whether container equals the path of the parent chunk, so that
// it can be omitted.
func isParentPath(chunks []source.Chunk, parent int32, container string) bool {
	if parent < 0 {
		return container == ""
	}
	if len(container) > maxParentPath {
		return false
	}
	p := &chunks[parent]
	at := len(container) - len(p.Name)
	if at < 0 || container[at:] != p.Name {
		return false
	}
	if p.Container == "" || p.Kind == source.Extension {
		return at == 0
	}
	return at == len(p.Container)+1 && container[at-1] == '.' && container[:at-1] == p.Container
}

// parentPath returns the default container of the children of a parent.
func parentPath(chunks []source.Chunk, parent int32) string {
	if parent < 0 || int(parent) >= len(chunks) {
		return "" // which check refuses
	}
	p := &chunks[parent]
	if p.Container == "" || p.Kind == source.Extension {
		return p.Name
	}
	if len(p.Container)+1+len(p.Name) > maxParentPath {
		return "" // AppendJSON writes longer containers explicitly
	}
	return p.Container + "." + p.Name
}

func appendJSONPlace(b []byte, c *source.Chunk) []byte {
	b = jsonNumber(b, `,"startLine":`, int64(c.StartLine))
	if c.Line != c.StartLine {
		b = jsonNumber(b, `,"line":`, int64(c.Line))
	}
	if c.IdentLine != c.Line {
		b = jsonNumber(b, `,"identLine":`, int64(c.IdentLine))
	}
	if c.EndLine != c.IdentLine {
		b = jsonNumber(b, `,"endLine":`, int64(c.EndLine))
	}
	b = jsonNumber(b, `,"start":`, int64(c.Start))
	if c.DocEnd != 0 {
		b = jsonNumber(b, `,"doc":`, int64(c.Doc))
		b = jsonNumber(b, `,"docEnd":`, int64(c.DocEnd))
	}
	if c.Decl != c.Start {
		b = jsonNumber(b, `,"decl":`, int64(c.Decl))
	}
	if c.Sig != c.Decl {
		b = jsonNumber(b, `,"sig":`, int64(c.Sig))
	}
	if c.Ident != c.Sig {
		b = jsonNumber(b, `,"ident":`, int64(c.Ident))
	}
	if c.Body != 0 {
		b = jsonNumber(b, `,"body":`, int64(c.Body))
	}
	b = jsonNumber(b, `,"end":`, int64(c.End))
	if c.Parent >= 0 {
		b = jsonNumber(b, `,"parent":`, int64(c.Parent))
	}
	return b
}
