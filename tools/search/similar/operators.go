package similar

import "strings"

// Codes of tokens. A single-byte operator has its byte value; longer operators and
// keywords have higher numbers.
const (
	identifier uint16 = iota + 1
	number
	text // string, character or regular expression
	firstOperator
	_
	byteOperators uint16 = 1 << 8
	longOperators uint16 = 1 << 9
	firstWord     uint16 = 1 << 10

	// Keywords of added languages have numbers from addedWord to addedWord+addedWords-1.
	addedWord  uint16 = 1 << 12
	addedWords        = 1 << 12
)

// operators are the operators of several bytes. Each prefix of an operator is also an
// operator.
const operators = "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: := << >> ?. ?? ?: .. <- ** // &^ !! ~= |> =~ " +
	"=== !== ... ..< ..= <<= >>= >>> **= &&= ||= ??= <=> &^= //= >>>="

// operatorTable finds the longest operator. For the code of a prefix and the next byte it
// has the code of the longer prefix, or 0.
type operatorTable struct {
	second [128][128]uint16
	more   map[uint32]uint16
}

var longest = newOperatorTable()

func newOperatorTable() *operatorTable {
	t := &operatorTable{more: map[uint32]uint16{}}
	next := longOperators
	for op := range strings.FieldsSeq(operators) {
		code := t.second[op[0]][op[1]]
		if code == 0 {
			code = next
			next++
			t.second[op[0]][op[1]] = code
		}
		for i := 2; i < len(op); i++ {
			key := uint32(code)<<8 | uint32(op[i])
			if t.more[key] == 0 {
				t.more[key] = next
				next++
			}
			code = t.more[key]
		}
	}
	return t
}

// operator returns the code and the length of the operator at the beginning of src.
func (t *operatorTable) operator(src []byte) (uint16, int) {
	code := byteOperators | uint16(src[0])
	if len(src) < 2 || src[0] >= 128 || src[1] >= 128 {
		return code, 1
	}
	two := t.second[src[0]][src[1]]
	if two == 0 {
		return code, 1
	}
	n := 2
	for n < len(src) && (src[n] == '=' || src[n] == '.' || src[n] == '>' || src[n] == '<') {
		next := t.more[uint32(two)<<8|uint32(src[n])]
		if next == 0 {
			break
		}
		two = next
		n++
	}
	return two, n
}
