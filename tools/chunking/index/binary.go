package index

import (
	"encoding/binary"
	"strings"
)

// binaryVersion is the version of the format of AppendBinary.
const binaryVersion = 3

// AppendBinary appends the file in a compact binary format for UnmarshalBinary. It
// implements encoding.BinaryAppender. It returns the errors of Parsed but does not read
// the source file again.
func (f *File) AppendBinary(b []byte) ([]byte, error) {
	head := f.appendHead(nil)
	b = appendString(append(b, binaryVersion), string(head))
	packed, err := f.packed()
	return append(b, packed...), err
}

// appendHead appends the head of a file: all but the detail.
func (f *File) appendHead(b []byte) []byte {
	b = appendString(b, f.Path)
	b = append(b, f.Hash[:]...)
	b = binary.AppendUvarint(b, uint64(f.Size))
	b = binary.AppendVarint(b, f.textSize-f.Size)
	b = binary.AppendVarint(b, f.ModTime.Unix())
	b = binary.AppendUvarint(b, uint64(f.ModTime.Nanosecond()))
	b = binary.AppendVarint(b, f.read)
	b = binary.LittleEndian.AppendUint64(b, f.fingerprint)
	b = appendString(b, f.start)
	b = appendString(b, string(f.Language))
	b = appendString(b, f.Parser)
	b = binary.AppendUvarint(b, uint64(len(f.Problems)))
	for _, p := range f.Problems {
		b = appendString(appendNumber(b, p.Line), p.Message)
	}
	return f.appendNames(b)
}

// appendNames appends kinds, names, labels and containers of the chunks, which searches
// use. They are the last part of a head.
func (f *File) appendNames(b []byte) []byte {
	if f.parsed == nil {
		return append(b, f.names.text...)
	}
	b = binary.AppendUvarint(b, uint64(len(f.parsed.Chunks)))
	container := ""
	for i := range f.parsed.Chunks {
		c := &f.parsed.Chunks[i]
		b = append(b, byte(c.Kind))
		b = appendString(b, c.Name)
		b = appendString(b, c.Labels)
		if c.Container == container {
			b = append(b, 0)
		} else {
			b = append(appendNumber(b, int32(len(c.Container)+1)), c.Container...)
		}
		container = c.Container
	}
	return b
}

// appendDetail appends positions, signatures, imports and calls. Positions are stored
// as differences, because most of these fit one byte.
func (f *File) appendDetail(b []byte) ([]byte, error) {
	if f.parsed == nil {
		if f.stored == nil {
			return b, errNoDetail
		}
		detail, err := f.stored.bytes()
		return append(b, detail...), err
	}
	b = f.appendChunks(b)
	b = binary.AppendUvarint(b, uint64(len(f.parsed.Imports)))
	for _, m := range f.parsed.Imports {
		b = appendString(appendNumber(b, m.Line), m.Path)
	}
	b = binary.AppendUvarint(b, uint64(len(f.parsed.Calls)))
	for _, c := range f.parsed.Calls {
		b = appendString(appendNumber(appendNumber(b, c.Line), c.Chunk+1), c.Name)
	}
	return b, nil
}

// appendChunks appends the positions, parents and signatures of the chunks. A signature is stored without the name of
// the chunk, which is in the head: the offset of the name plus 1, or 0 if it has no name, and the rest.
func (f *File) appendChunks(b []byte) []byte {
	var decl, line int32
	for i := range f.parsed.Chunks {
		c := &f.parsed.Chunks[i]
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
		if at := strings.Index(c.Signature, c.Name); at >= 0 {
			b = appendNumber(b, int32(at+1))
			b = appendNumber(b, int32(len(c.Signature)-len(c.Name)))
			b = append(append(b, c.Signature[:at]...), c.Signature[at+len(c.Name):]...)
		} else {
			b = appendString(append(b, 0), c.Signature)
		}
		decl, line = c.Decl, c.StartLine
	}
	return b
}

// appendNumber appends a non-negative number as a varint.
func appendNumber(b []byte, n int32) []byte {
	if n < 0x80 {
		return append(b, byte(n))
	}
	return binary.AppendUvarint(b, uint64(uint32(n)))
}

// appendString appends a string after its length.
func appendString(b []byte, s string) []byte {
	return append(appendNumber(b, int32(len(s))), s...)
}
