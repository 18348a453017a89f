package identifier_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/identifier"
	"github.com/dougu-go/dougu/tools/source"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		language source.Language
		name     string
		want     identifier.Result
	}{
		{source.TypeScript, "total", identifier.Valid},
		{source.TypeScript, "$größe_1", identifier.Valid},
		{source.TypeScript, "#hidden", identifier.Valid},
		{source.TypeScript, "class", identifier.MemberOnly},
		{source.TypeScript, "a-b", identifier.Invalid},
		{source.TypeScript, "1x", identifier.Invalid},
		{source.TypeScript, "#", identifier.Invalid},
		{source.TypeScript, "a b", identifier.Invalid},
		{source.TypeScript, "", identifier.Invalid},
		{source.TypeScript, "a\xff", identifier.Invalid},
		{source.JavaScript, "type", identifier.Valid},
		{source.Python, "class", identifier.Reserved},
		{source.Python, "match", identifier.Valid},
		{source.Python, "$x", identifier.Invalid},
		{source.Go, "func", identifier.Reserved},
		{source.Go, "a.b", identifier.Invalid},
		{source.Rust, "r#type", identifier.Valid},
		{source.Rust, "type", identifier.Reserved},
		{source.Rust, "'a", identifier.Valid},
		{source.Kotlin, "`in`", identifier.Valid},
		{source.Kotlin, "`", identifier.Invalid},
		{source.Kotlin, "`a`b`", identifier.Invalid},
		{source.CSharp, "@class", identifier.Valid},
		{source.Ruby, "empty?", identifier.Valid},
		{source.Ruby, "@count", identifier.Valid},
		{source.Ruby, "end", identifier.MemberOnly},
		{source.PHP, "$this_one", identifier.Valid},
		{source.CPP, "new", identifier.Reserved},
		{source.C, "new", identifier.Valid},
		{"", "a-b", identifier.Valid},
		{"", "a b", identifier.Invalid},
	} {
		if got := identifier.Check(test.language, test.name); got != test.want {
			t.Errorf("%q in %q is %d, want %d", test.name, test.language, got, test.want)
		}
	}
	for _, language := range source.Languages() {
		if got := identifier.Check(language, "for"); got != identifier.Reserved && got != identifier.MemberOnly {
			t.Errorf("for in %s is %d", language, got)
		}
	}
}
