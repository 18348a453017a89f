package pdftext

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"io"
)

// unpack is what a stream holds. What cannot be unpacked is left out from there on.
func (f *file) unpack(s *stream) []byte {
	data := s.raw
	if f.unpacked += len(data); f.unpacked > maxUnpack {
		return nil
	}
	filters := f.list(s.dict["Filter"])
	parms := f.list(s.dict["DecodeParms"])
	if len(filters) > 4 {
		return nil
	}
	for i, filter := range filters {
		var parm dict
		if i < len(parms) {
			parm = f.dict(parms[i])
		}
		switch f.resolve(filter) {
		case name("FlateDecode"), name("Fl"):
			data = predicted(f.inflate(data), f, parm)
		case name("ASCII85Decode"), name("A85"):
			data = f.ascii85(data)
		case name("ASCIIHexDecode"), name("AHx"):
			l := lexer{data: append([]byte{'<'}, data...)}
			data = l.hex()
		default:
			return nil // an image, or what is out of use
		}
	}
	return data
}

// list is an object as a list, which may be a single one.
func (f *file) list(o object) array {
	switch o := f.resolve(o).(type) {
	case nil:
		return nil
	case array:
		return o
	default:
		return array{o}
	}
}

// bounded reads what may still be unpacked.
func (f *file) bounded(r io.Reader) []byte {
	var out bytes.Buffer
	_, _ = io.Copy(&out, io.LimitReader(r, int64(max(0, min(maxStream, maxUnpack-f.unpacked))))) // what is damaged ends there
	f.unpacked += out.Len()
	return out.Bytes()
}

func (f *file) inflate(data []byte) []byte {
	if len(data) < 2 {
		return nil
	}
	return f.bounded(flate.NewReader(bytes.NewReader(data[2:]))) // without the checksum, which may be wrong
}

func (f *file) ascii85(data []byte) []byte {
	if end := bytes.Index(data, []byte("~>")); end >= 0 {
		data = data[:end]
	}
	return f.bounded(ascii85.NewDecoder(bytes.NewReader(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~")))))
}

// predicted undoes the prediction of PNG (7.4.4.4).
func predicted(data []byte, f *file, parm dict) []byte {
	if f.number(parm["Predictor"]) < 10 {
		return data
	}
	columns, colors, bits := f.number(parm["Columns"]), f.number(parm["Colors"]), f.number(parm["BitsPerComponent"])
	if columns < 1 {
		columns = 1
	}
	if colors < 1 {
		colors = 1
	}
	if bits < 1 {
		bits = 8
	}
	if columns > 1<<16 || colors > 32 || bits > 32 {
		return nil
	}
	row, pixel := int(columns*colors*bits+7)/8, int(colors*bits+7)/8
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > row {
		line := data[1 : row+1]
		unfilter(data[0], line, above, pixel)
		out, above, data = append(out, line...), line, data[row+1:]
	}
	return out
}

// unfilter undoes one row.
func unfilter(kind byte, line, above []byte, pixel int) {
	for i := range line {
		left, corner := 0, 0
		if i >= pixel {
			left, corner = int(line[i-pixel]), int(above[i-pixel])
		}
		up := int(above[i])
		switch kind {
		case 1:
			line[i] += byte(left)
		case 2:
			line[i] += byte(up)
		case 3:
			line[i] += byte((left + up) / 2)
		case 4:
			line[i] += byte(paeth(left, up, corner))
		}
	}
}

func paeth(left, up, corner int) int {
	toLeft, toUp, toCorner := abs(up-corner), abs(left-corner), abs(left+up-2*corner)
	switch {
	case toLeft <= toUp && toLeft <= toCorner:
		return left
	case toUp <= toCorner:
		return up
	}
	return corner
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
