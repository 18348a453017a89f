package pdftext

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// maxCodes bounds what a cmap says.
const maxCodes = 1 << 17

// cmap tells what codes mean (9.10.3).
type cmap struct {
	spaces []space
	codes  map[int]string // by code and length
	ranges []codes        // in order
}

// codes are several in a row, and what the first one means: others differ in the last
// character.
type codes struct {
	first, last int // with their length
	meaning     string
}

// space is a range of codes of one length.
type space struct {
	size      int
	low, high text
}

func key(code, size int) int { return code<<3 | size }

// readCMap reads the file that a ToUnicode entry holds.
func readCMap(data []byte) *cmap {
	m := &cmap{codes: map[int]string{}}
	l := lexer{data: data}
	var operands array
	for len(m.codes)+len(m.ranges) < maxCodes {
		o, ok := l.next()
		if !ok {
			break
		}
		op, ok := o.(operator)
		if !ok {
			if operands = append(operands, o); len(operands) > 1<<12 {
				operands = operands[:0]
			}
			continue
		}
		switch op {
		case "endcodespacerange":
			m.space(operands)
		case "endbfchar":
			for i := 0; i+1 < len(operands); i += 2 {
				m.one(operands[i], operands[i+1])
			}
		case "endbfrange":
			for i := 0; i+2 < len(operands); i += 3 {
				m.several(operands[i], operands[i+1], operands[i+2])
			}
		}
		operands = operands[:0]
	}
	slices.SortStableFunc(m.ranges, func(a, b codes) int { return cmp.Compare(a.first, b.first) })
	return m
}

func (m *cmap) space(operands array) {
	for i := 0; i+1 < len(operands) && len(m.spaces) < 64; i += 2 {
		low, ok := operands[i].(text)
		high, also := operands[i+1].(text)
		if ok && also && len(low) == len(high) && 0 < len(low) && len(low) <= 4 {
			m.spaces = append(m.spaces, space{len(low), low, high})
		}
	}
}

func (m *cmap) one(from, to object) {
	code, ok := from.(text)
	meaning, also := to.(text)
	if ok && also && len(code) <= 4 {
		m.codes[key(value(code), len(code))] = decodeUTF16(meaning)
	}
}

func (m *cmap) several(from, last, to object) {
	low, ok := from.(text)
	high, also := last.(text)
	if !ok || !also || len(low) != len(high) || len(low) == 0 || len(low) > 4 {
		return
	}
	first, count := value(low), value(high)-value(low)+1
	switch to := to.(type) {
	case array:
		for i, meaning := range to[:max(0, min(len(to), count))] {
			if s, ok := meaning.(text); ok {
				m.codes[key(first+i, len(low))] = decodeUTF16(s)
			}
		}
	case text:
		if count > 0 {
			m.ranges = append(m.ranges, codes{key(first, len(low)), key(first+count-1, len(low)), decodeUTF16(to)})
		}
	}
}

func value(s text) int {
	n := 0
	for _, c := range s {
		n = n<<8 | int(c)
	}
	return n
}

// size is the length of the code that a text begins with.
func (m *cmap) size(s text) int {
	for _, p := range m.spaces {
		if len(s) < p.size {
			continue
		}
		fits := true
		for i := range p.size {
			fits = fits && p.low[i] <= s[i] && s[i] <= p.high[i]
		}
		if fits {
			return p.size
		}
	}
	return m.spaces[0].size
}

func (m *cmap) lookup(code, size int) (string, bool) {
	k := key(code, size)
	if meaning, ok := m.codes[k]; ok {
		return meaning, true
	}
	i, _ := slices.BinarySearchFunc(m.ranges, k+1, func(r codes, k int) int { return cmp.Compare(r.first, k) })
	for range min(i, 16) { // they seldom lie within each other
		i--
		if r := m.ranges[i]; k <= r.last && r.first&7 == size {
			return following(r.meaning, (k-r.first)>>3), true
		}
	}
	return "", false
}

// following is a text whose last character is so many after that of another.
func following(s string, by int) string {
	last, size := utf8.DecodeLastRuneInString(s)
	if by == 0 || size == 0 {
		return s
	}
	return s[:len(s)-size] + string(last+rune(by))
}
