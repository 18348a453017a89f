package msgrpc_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := msgpack.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestReader_Messages(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	values := []any{
		nil, true, 0, -1, 127, 128, -129, 70_000, int64(1) << 40, uint64(1) << 63, float32(1.5), 2.5, "", "short", strings.Repeat("y", 40), strings.Repeat("z", 300), long,
		[]byte{1}, bytes.Repeat([]byte{2}, 300), bytes.Repeat([]byte{3}, 70_000), []any{}, []int{1, 2}, make([]bool, 20), make([]bool, 70_000),
		map[string]any{}, map[string]int{"a": 1}, map[string]any{"deep": []any{map[string]any{"x": long}}},
	}
	raws := [][]byte{
		{0xd4, 0, 1}, {0xd5, 0, 1, 2}, {0xd6, 1, 1, 2, 3, 4}, {0xd7, 2, 1, 2, 3, 4, 5, 6, 7, 8}, append([]byte{0xd8, 9}, make([]byte, 16)...),
		{0xc7, 2, 5, 1, 1}, {0xc8, 0, 1, 5, 1}, {0xc9, 0, 0, 0, 1, 5, 1}, // for example Neovim's handles of buffers and windows
	}
	for _, v := range values {
		raws = append(raws, encode(t, v))
	}
	in := msgrpc.NewReader(iotest.OneByteReader(bytes.NewReader(bytes.Join(raws, nil))))
	for i, want := range raws {
		got, err := in.Read()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("message %d: %.20x, %v, want %.20x", i, got, err, want)
		}
	}
	if _, err := in.Read(); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestReader_InvalidMessages(t *testing.T) {
	for name, c := range map[string]struct {
		raw  []byte
		want error
	}{
		"an end within a message": {[]byte{0x92, 1}, io.ErrUnexpectedEOF},
		"an end within a length":  {[]byte{0xdb, 0, 0}, io.ErrUnexpectedEOF},
		"a code that is none":     {[]byte{0xc1}, msgrpc.ErrNoValue},
		"four gigabytes of text":  {[]byte{0xdb, 0xff, 0xff, 0xff, 0xff, 'x'}, msgrpc.ErrTooLong},
		"four gigabytes of bytes": {[]byte{0xc6, 0xff, 0xff, 0xff, 0xff, 'x'}, msgrpc.ErrTooLong},
		"four billion values":     {[]byte{0xdd, 0xff, 0xff, 0xff, 0xff, 1}, msgrpc.ErrTooLong},
		"two billion pairs":       {[]byte{0xdf, 0x80, 0, 0, 0, 1}, msgrpc.ErrTooLong},
		"values all over":         {bytes.Repeat(append([]byte{0xdc, 0xff, 0xff}, make([]byte, 0xfffe)...), 10), msgrpc.ErrTooLong},
		"arrays in arrays":        {bytes.Repeat([]byte{0x91}, 1_000_000), msgrpc.ErrTooDeep},
		"maps in maps":            {bytes.Repeat([]byte{0x81, 0xa0}, 1_000_000), msgrpc.ErrTooDeep},
	} {
		if _, err := msgrpc.NewReader(bytes.NewReader(c.raw)).Read(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestReader_Memory(t *testing.T) {
	raw := []byte{0xdb, 0x03, 0xff, 0xff, 0xff, 'x'} // announces 64 MB
	if bytes := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			_, _ = msgrpc.NewReader(bytes.NewReader(raw)).Read()
		}
	}).AllocedBytesPerOp(); bytes > 1<<20 {
		t.Errorf("%d bytes for a message of %d", bytes, len(raw))
	}
}

// FuzzReader checks that a read message equals the sent one and can be decoded without a panic.
func FuzzReader(f *testing.F) {
	f.Add(encode(f, []any{1, 7, nil, map[string]any{"value": "x", "fault": ""}}))
	f.Add(encode(f, []any{2, "dougu", []any{"diagnostics", 1, 2}}))
	f.Add([]byte{0x94, 0x00, 0xce, 0xff, 0xff, 0xff, 0xff, 0xa1, 'm', 0x90})
	f.Add([]byte{0xc7, 3, 0xff, 1, 2, 3})
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := msgrpc.NewReader(bytes.NewReader(raw))
		at := 0
		for {
			got, err := in.Read()
			if err != nil {
				return
			}
			if !bytes.Equal(got, raw[at:at+len(got)]) {
				t.Fatalf("read %x of %x", got, raw[at:])
			}
			at += len(got)
			var typed struct {
				Text  string            `msgpack:"text"`
				Lines []string          `msgpack:"lines"`
				Spot  []int             `msgpack:"spot"`
				Items []struct{ A int } `msgpack:"items"`
				Raw   msgrpc.Raw        `msgpack:"raw"`
			}
			_ = msgrpc.Decode(got, &typed)
			var all []msgrpc.Raw
			if msgrpc.Decode(got, &all) == nil {
				for _, one := range all {
					_ = one.DecodeInto(new(string))
					_ = one.DecodeInto(new([]string))
				}
			}
		}
	})
}
