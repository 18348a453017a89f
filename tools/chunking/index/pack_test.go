package index

import (
	"bytes"
	"strings"
	"testing"
)

func FuzzPack(f *testing.F) {
	for _, seed := range []string{"", "a", "abcabcabcabcabc", strings.Repeat("a", 3*maxMatch+1), strings.Repeat("func (s *Stack) Push()\x00\xff\x90", 300), strings.Repeat("abcd"+strings.Repeat("x", maxDistance-4), 2) + "abcd"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, detail []byte) {
		got, err := unpack(pack(nil, detail))
		if err != nil || !bytes.Equal(got, detail) {
			t.Errorf("%q became %q: %v", detail, got, err)
		}
	})
}

func TestPack_AllMatches(t *testing.T) {
	for _, size := range []int{3, 4, 10, 11, 18, 19, 66, 67, 257, 258, 259} {
		for _, between := range []int{0, 1, 4, 5, 300, 8191, 16000, 24574, 32000, maxDistance} {
			noise := make([]byte, between)
			for i := range noise {
				noise[i] = byte(i*i>>3 + i)
			}
			word := bytes.Repeat([]byte("0123456789!"), 30)[:size]
			detail := bytes.Join([][]byte{word, noise, word}, nil)
			if got, err := unpack(pack(nil, detail)); err != nil || !bytes.Equal(got, detail) {
				t.Errorf("%d bytes with %d between: %v", size, between, err)
			}
		}
	}
}

func TestUnpack_Damaged(t *testing.T) {
	packed := pack(nil, []byte(strings.Repeat("func (s *Stack) Push()", 20)))
	for at := range packed {
		if _, err := unpack(packed[:at]); err == nil {
			t.Errorf("the first %d bytes are accepted", at)
		}
	}
	for _, wrong := range []string{"", "\xff\xff\xff\xff\xff\x0f", "\xff\xff\x7f\x03\x00", "\x01\x03\x00", string(append(pack(nil, []byte("ab"))[:1:1], pack(nil, []byte("abc"))[1:]...))} {
		if _, err := unpack([]byte(wrong)); err == nil && wrong != "" {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
