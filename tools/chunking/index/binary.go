package index

import "encoding/binary"

// binaryVersion is that of the form below.
const binaryVersion = 1

// AppendBinary appends the file in a compact form that UnmarshalBinary reads. It
// implements encoding.BinaryAppender and never fails.
func (f *File) AppendBinary(b []byte) ([]byte, error) {
	return f.appendBinary(append(b, binaryVersion)), nil
}

// appendBinary writes positions as distances, since most fit a byte then.
func (f *File) appendBinary(b []byte) []byte {
	b = appendString(b, f.Path)
	b = append(b, f.Hash[:]...)
	b = binary.AppendUvarint(b, uint64(f.Size))
	b = binary.AppendVarint(b, f.ModTime.Unix())
	b = binary.AppendUvarint(b, uint64(f.ModTime.Nanosecond()))
	b = binary.AppendVarint(b, f.read)
	b = binary.LittleEndian.AppendUint64(b, f.fingerprint)
	b = appendString(b, f.start)
	b = appendString(b, string(f.Language))
	b = appendString(b, f.Parser)
	b = f.appendChunks(b)
	b = binary.AppendUvarint(b, uint64(len(f.Imports)))
	for _, m := range f.Imports {
		b = appendString(appendNumber(b, m.Line), m.Path)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Calls)))
	for _, c := range f.Calls {
		b = appendString(appendNumber(appendNumber(b, c.Line), c.Chunk+1), c.Name)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Problems)))
	for _, p := range f.Problems {
		b = appendString(appendNumber(b, p.Line), p.Message)
	}
	return b
}

func (f *File) appendChunks(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(f.Chunks)))
	var decl, line int32
	container := ""
	for i := range f.Chunks {
		c := &f.Chunks[i]
		b = append(b, byte(c.Kind))
		b = binary.AppendVarint(b, int64(c.Start-decl))
		b = appendNumber(b, c.Decl-c.Start)
		b = appendNumber(b, c.DocEnd-c.Doc)
		if c.DocEnd != 0 {
			b = appendNumber(b, c.Doc-c.Start)
		}
		b = appendNumber(b, c.Sig-c.Decl)
		b = appendNumber(b, c.Ident-c.Sig)
		b = appendNumber(b, max(c.Body-c.Ident, 0))
		b = appendNumber(b, c.End-c.Ident)
		b = binary.AppendVarint(b, int64(c.StartLine-line))
		b = appendNumber(b, c.Line-c.StartLine)
		b = appendNumber(b, c.IdentLine-c.Line)
		b = appendNumber(b, c.EndLine-c.IdentLine)
		if c.Parent < 0 {
			b = append(b, 0)
		} else {
			b = appendNumber(b, int32(i)-c.Parent)
		}
		b = appendString(b, c.Name)
		b = appendString(b, c.Labels)
		if c.Container == container {
			b = append(b, 0)
		} else {
			b = append(appendNumber(b, int32(len(c.Container)+1)), c.Container...)
		}
		b = appendString(b, c.Signature)
		decl, line, container = c.Decl, c.StartLine, c.Container
	}
	return b
}

// appendNumber writes a number that is not negative.
func appendNumber(b []byte, n int32) []byte {
	if n < 0x80 {
		return append(b, byte(n))
	}
	return binary.AppendUvarint(b, uint64(uint32(n)))
}

func appendString(b []byte, s string) []byte {
	return append(appendNumber(b, int32(len(s))), s...)
}
