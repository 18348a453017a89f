package python

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// imports notes the modules that an import statement names.
func (s *scanner) imports(from bool, start int) {
	at := s.blanks(lex.Identifier(s.src, start))
	if from {
		end := at
		for end < s.end && (s.src[end] == '.' || lex.Class[s.src[end]] != 0) && string(s.word(end)) != "import" {
			end = max(end+1, lex.Identifier(s.src, end))
		}
		if path := strings.Join(strings.Fields(string(s.src[at:end])), ""); path != "" {
			s.b.Import(path, start)
		}
		return
	}
	for at < s.end {
		end := at
		for end < s.end && (s.src[end] == '.' || lex.Class[s.src[end]]&(lex.Letter|lex.Digit) != 0) {
			end++
		}
		if end > at {
			s.b.Import(lex.Text(s.src[at:end]), start)
		}
		comma := bytes.IndexByte(s.src[end:s.end], ',')
		if comma < 0 {
			return
		}
		at = s.blanks(end + comma + 1)
	}
}
